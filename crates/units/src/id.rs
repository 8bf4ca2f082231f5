//! Dense ids: indices into the model's flat arrays, told apart by type.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an array index.
            #[inline]
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A host or switch.
    NodeId
);
id!(
    /// A host, counted apart from switches; hosts come first among the nodes, so host `n` is node `n`.
    HostId
);
id!(
    /// An egress port: one direction of one link, counted over the whole fabric, each node's ports together.
    PortId
);
id!(
    /// A full-duplex link (cable) between two ports.
    LinkId
);
id!(
    /// Whoever issues work on a host: one rank of one job, or one host's share of background traffic.
    ActorId
);
