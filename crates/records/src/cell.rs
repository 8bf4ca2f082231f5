//! Cells: how one value of a row is encoded for the digest, stored in an Arrow array, and read back.
//!
//! Models: the types of column values. Leaves out: which columns exist.
//!
//! Invariants: the canonical encoding is little-endian and never changes: integers by their own width, doubles by their
//! bits, flags as one byte, text with its length in 4 bytes before it, optional values with a presence byte; a value
//! that only measured runs may lack by its own width, all ones where it is unknown.
//! Two different values never share an encoding.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, StringArray, UInt16Array, UInt32Array,
};
use netloom_units::{Bytes, Duration, HostId, LinkId, NodeId, PortId, Rate, Time};

use crate::column::Storage;
use crate::rows::{Activity, DropReason, Fate, FaultAction, PacketKind, Part, Role, Target};

/// A type a column can hold.
pub(crate) trait Cell: Copy {
    /// How it is stored.
    const STORAGE: Storage;
    /// Whether it may be absent.
    const NULLABLE: bool = false;
    /// The Arrow array that holds it.
    type Array: Array + 'static;

    /// Appends the canonical encoding.
    fn encode(self, out: &mut Vec<u8>);

    /// An array of values; `None` if one is too large to be stored.
    fn array(values: impl Iterator<Item = Self>) -> Option<ArrayRef>;

    /// An array of values that may be absent; `None` if one is too large to be stored.
    fn optional(values: impl Iterator<Item = Option<Self>>) -> Option<ArrayRef>;

    /// The value in a row of an array; `None` if the stored value is not of this type.
    fn get(array: &Self::Array, row: usize) -> Option<Self>;
}

/// Appends text with its length before it.
pub(crate) fn encode_text(text: &str, out: &mut Vec<u8>) {
    let length = u32::try_from(text.len()).expect("names are shorter than 4 GiB");
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

/// Integer conversion that can fail or not, depending on the column.
fn narrow<From, To: TryFrom<From>>(value: From) -> Option<To> {
    To::try_from(value).ok()
}

macro_rules! integer_cell {
    ($type:ty, $array:ident of $stored:ty, $storage:ident, $take:expr, $make:expr) => {
        impl Cell for $type {
            const STORAGE: Storage = Storage::$storage;
            type Array = $array;

            #[inline]
            fn encode(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&$take(self).to_le_bytes());
            }

            fn array(values: impl Iterator<Item = Self>) -> Option<ArrayRef> {
                let stored: Option<Vec<$stored>> = values.map(|value| narrow($take(value))).collect();
                Some(Arc::new($array::from(stored?)))
            }

            fn optional(values: impl Iterator<Item = Option<Self>>) -> Option<ArrayRef> {
                let narrowed = values.map(|value| value.map_or(Some(None), |v| narrow($take(v)).map(Some)));
                let stored: Option<Vec<Option<$stored>>> = narrowed.collect();
                Some(Arc::new($array::from(stored?)))
            }

            #[inline]
            fn get(array: &$array, row: usize) -> Option<Self> {
                narrow(array.value(row)).map($make)
            }
        }
    };
}

fn same<T>(value: T) -> T {
    value
}

integer_cell!(u64, Int64Array of i64, Integer64, same::<u64>, same::<u64>);
integer_cell!(Time, Int64Array of i64, Integer64, |time: Time| time.0, Time);
integer_cell!(Duration, Int64Array of i64, Integer64, |span: Duration| span.0, Duration);
integer_cell!(Bytes, Int64Array of i64, Integer64, |size: Bytes| size.0, Bytes);
integer_cell!(Rate, Int64Array of i64, Integer64, |rate: Rate| rate.0, Rate);
integer_cell!(u32, UInt32Array of u32, Unsigned32, same::<u32>, same::<u32>);
integer_cell!(NodeId, UInt32Array of u32, Unsigned32, |id: NodeId| id.0, NodeId);
integer_cell!(HostId, UInt32Array of u32, Unsigned32, |id: HostId| id.0, HostId);
integer_cell!(PortId, UInt32Array of u32, Unsigned32, |id: PortId| id.0, PortId);
integer_cell!(LinkId, UInt32Array of u32, Unsigned32, |id: LinkId| id.0, LinkId);
integer_cell!(u16, UInt16Array of u16, Unsigned16, same::<u16>, same::<u16>);

impl Cell for f64 {
    const STORAGE: Storage = Storage::Float64;
    type Array = Float64Array;

    fn encode(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_bits().to_le_bytes());
    }

    fn array(values: impl Iterator<Item = Self>) -> Option<ArrayRef> {
        Some(Arc::new(Float64Array::from_iter_values(values)))
    }

    fn optional(values: impl Iterator<Item = Option<Self>>) -> Option<ArrayRef> {
        Some(Arc::new(values.collect::<Float64Array>()))
    }

    fn get(array: &Float64Array, row: usize) -> Option<Self> {
        Some(array.value(row))
    }
}

impl Cell for bool {
    const STORAGE: Storage = Storage::Flag;
    type Array = BooleanArray;

    fn encode(self, out: &mut Vec<u8>) {
        out.push(u8::from(self));
    }

    fn array(values: impl Iterator<Item = Self>) -> Option<ArrayRef> {
        Some(Arc::new(BooleanArray::from(values.collect::<Vec<bool>>())))
    }

    fn optional(values: impl Iterator<Item = Option<Self>>) -> Option<ArrayRef> {
        Some(Arc::new(BooleanArray::from(values.collect::<Vec<Option<bool>>>())))
    }

    fn get(array: &BooleanArray, row: usize) -> Option<Self> {
        Some(array.value(row))
    }
}

macro_rules! word_cell {
    ($type:ty) => {
        impl Cell for $type {
            const STORAGE: Storage = Storage::Text;
            type Array = StringArray;

            fn encode(self, out: &mut Vec<u8>) {
                encode_text(self.word(), out);
            }

            fn array(values: impl Iterator<Item = Self>) -> Option<ArrayRef> {
                Some(Arc::new(StringArray::from_iter_values(values.map(Self::word))))
            }

            fn optional(values: impl Iterator<Item = Option<Self>>) -> Option<ArrayRef> {
                Some(Arc::new(values.map(|value| value.map(Self::word)).collect::<StringArray>()))
            }

            fn get(array: &StringArray, row: usize) -> Option<Self> {
                let word = array.value(row);
                Self::ALL.into_iter().find(|value| value.word() == word)
            }
        }
    };
}

word_cell!(DropReason);
word_cell!(PacketKind);
word_cell!(Fate);
word_cell!(Role);
word_cell!(Part);
word_cell!(Target);
word_cell!(FaultAction);
word_cell!(Activity);

/// A size that every simulated run has, and a measured one may lack.
///
/// Its encoding is that of the size, so that digests of simulated runs are the same as before measured runs existed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct KnownSize(pub Option<Bytes>);

impl KnownSize {
    /// An unknown size.
    pub const UNKNOWN: KnownSize = KnownSize(None);

    /// The size of a simulated run.
    ///
    /// # Panics
    /// If it is unknown.
    pub fn simulated(self) -> Bytes {
        self.0.expect("a simulated run knows all sizes")
    }
}

impl From<Bytes> for KnownSize {
    fn from(size: Bytes) -> KnownSize {
        KnownSize(Some(size))
    }
}

impl Cell for KnownSize {
    const STORAGE: Storage = Bytes::STORAGE;
    const NULLABLE: bool = true;
    type Array = <Bytes as Cell>::Array;

    fn encode(self, out: &mut Vec<u8>) {
        // No stored size has this value: it is above 2^63.
        self.0.unwrap_or(Bytes(u64::MAX)).encode(out);
    }

    fn array(values: impl Iterator<Item = Self>) -> Option<ArrayRef> {
        Bytes::optional(values.map(|size| size.0))
    }

    fn optional(values: impl Iterator<Item = Option<Self>>) -> Option<ArrayRef> {
        Bytes::optional(values.map(|size| size.and_then(|size| size.0)))
    }

    fn get(array: &Self::Array, row: usize) -> Option<Self> {
        Option::<Bytes>::get(array, row).map(KnownSize)
    }
}

impl<T: Cell> Cell for Option<T> {
    const STORAGE: Storage = T::STORAGE;
    const NULLABLE: bool = true;
    type Array = T::Array;

    fn encode(self, out: &mut Vec<u8>) {
        out.push(u8::from(self.is_some()));
        if let Some(value) = self {
            value.encode(out);
        }
    }

    fn array(values: impl Iterator<Item = Self>) -> Option<ArrayRef> {
        T::optional(values)
    }

    fn optional(values: impl Iterator<Item = Option<Self>>) -> Option<ArrayRef> {
        T::optional(values.map(Option::flatten))
    }

    fn get(array: &T::Array, row: usize) -> Option<Self> {
        if array.is_null(row) { Some(None) } else { T::get(array, row).map(Some) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(value: impl Cell) -> Vec<u8> {
        let mut out = Vec::new();
        value.encode(&mut out);
        out
    }

    #[test]
    fn the_canonical_encoding_never_changes() {
        assert_eq!(encoded(Time(0x0102)), [2, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(encoded(PortId(7)), [7, 0, 0, 0]);
        assert_eq!(encoded(9_u16), [9, 0]);
        assert_eq!(encoded(1.0_f64), [0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
        assert_eq!(encoded(true), [1]);
        assert_eq!(encoded(DropReason::Hook), *b"\x04\0\0\0hook");
        assert_eq!(encoded(None::<PortId>), [0]);
        assert_eq!(encoded(Some(PortId(0))), [1, 0, 0, 0, 0]);
        assert_eq!(encoded(KnownSize::from(Bytes(7))), encoded(Bytes(7)));
        assert_eq!(encoded(KnownSize::UNKNOWN), [0xff; 8]);
    }

    #[test]
    fn zeros_of_both_signs_differ() {
        assert_ne!(encoded(0.0_f64), encoded(-0.0_f64));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(Time::array([Time(u64::MAX)].into_iter()).is_none());
        assert!(KnownSize::array([Bytes(u64::MAX).into()].into_iter()).is_none());
        assert!(Option::<Time>::array([None, Some(Time::NEVER)].into_iter()).is_none());
        assert!(Time::get(&Int64Array::from(vec![-1]), 0).is_none());
        assert!(DropReason::get(&StringArray::from(vec!["moon phase"]), 0).is_none());
    }
}
