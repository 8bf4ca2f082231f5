//! Dense ids: indices into the model's flat arrays, distinguished by type.

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
    /// A host, numbered separately from switches; hosts come first among the nodes, so host `n` is node `n`.
    HostId
);
id!(
    /// An egress port: one direction of one link, numbered over the whole fabric, each node's ports together.
    PortId
);
id!(
    /// A full-duplex link (cable) between two ports.
    LinkId
);
id!(
    /// An actor that issues work on a host: one rank of one job, one host's share of background traffic, or one staged
    /// flow.
    ActorId
);
