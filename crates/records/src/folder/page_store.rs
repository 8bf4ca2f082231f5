//! Pages of open row groups, in blocks of one size.
//!
//! Models: one pool of blocks for all tables of a folder; a column keeps its closed pages in blocks of the pool, and gives
//! them back when its row group is written.
//! Leaves out: what pages contain.
//!
//! Invariants: a page is taken back as it was put; the pool has as many blocks as were in use at once, for as long as the
//! folder is written. Pages as allocations of their own, of all sizes and ages, would leave ever more of memory unused
//! between them.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use parquet::arrow::arrow_writer::{PageKey, PageStore, PageStoreArgs, PageStoreFactory};
use parquet::errors::{ParquetError, Result};

/// Half of a block is lost for each open column; smaller ones would split more pages.
const BLOCK_BYTES: usize = 16 << 10;

type Block = Box<[u8; BLOCK_BYTES]>;

/// Blocks that no column uses.
#[derive(Debug, Clone, Default)]
pub(crate) struct PagePool(Arc<Mutex<Vec<Block>>>);

impl PagePool {
    fn block(&self) -> Block {
        let free = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        free.unwrap_or_else(|| Box::new([0; BLOCK_BYTES]))
    }
}

impl PageStoreFactory for PagePool {
    fn create(&self, _: &PageStoreArgs<'_>) -> Result<Box<dyn PageStore>> {
        Ok(Box::new(ColumnPages { pool: self.clone(), blocks: Vec::new(), ends: Vec::new() }))
    }
}

/// The pages of one column of an open row group, one after the other.
struct ColumnPages {
    pool: PagePool,
    blocks: Vec<Block>,
    /// Where each page ends, in bytes from the first block's start; a page begins where the one before it ends.
    ends: Vec<usize>,
}

impl PageStore for ColumnPages {
    fn put(&mut self, page: Bytes) -> Result<PageKey> {
        let key = self.ends.len();
        let mut end = self.end_of(key);
        let mut rest = &page[..];
        while !rest.is_empty() {
            let (block, from) = (end / BLOCK_BYTES, end % BLOCK_BYTES);
            if block == self.blocks.len() {
                self.blocks.push(self.pool.block());
            }
            let (now, later) = rest.split_at(rest.len().min(BLOCK_BYTES - from));
            self.blocks[block][from..from + now.len()].copy_from_slice(now);
            (end, rest) = (end + now.len(), later);
        }
        self.ends.push(end);
        Ok(PageKey::new(key as u64))
    }

    fn take(&mut self, key: PageKey) -> Result<Bytes> {
        let page = usize::try_from(key.get()).ok().filter(|page| *page < self.ends.len());
        let page = page.ok_or_else(|| ParquetError::General(format!("there is no page {}", key.get())))?;
        let (mut at, end) = (self.end_of(page), self.ends[page]);
        let mut bytes = Vec::with_capacity(end - at);
        while at < end {
            let (block, from) = (at / BLOCK_BYTES, at % BLOCK_BYTES);
            let part = (end - at).min(BLOCK_BYTES - from);
            bytes.extend_from_slice(&self.blocks[block][from..from + part]);
            at += part;
        }
        Ok(bytes.into())
    }

    fn memory_size(&self) -> usize {
        self.blocks.len() * BLOCK_BYTES
    }
}

impl ColumnPages {
    /// Where the page before this one ends.
    fn end_of(&self, page: usize) -> usize {
        page.checked_sub(1).map_or(0, |before| self.ends[before])
    }
}

impl Drop for ColumnPages {
    fn drop(&mut self) {
        self.pool.0.lock().unwrap_or_else(PoisonError::into_inner).append(&mut self.blocks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pages_in(pool: &PagePool) -> ColumnPages {
        ColumnPages { pool: pool.clone(), blocks: Vec::new(), ends: Vec::new() }
    }

    fn n_free(pool: &PagePool) -> usize {
        pool.0.lock().unwrap().len()
    }

    proptest! {
        #[test]
        fn pages_are_taken_as_they_were_put(sizes in prop::collection::vec(0..3 * BLOCK_BYTES, 1..12)) {
            let pool = PagePool::default();
            for round in 0..2 {
                let mut column = pages_in(&pool);
                let content = |nth: usize| (0..sizes[nth]).map(|byte| (byte * 7 + nth + round) as u8).collect::<Vec<_>>();
                let put = |nth| column.put(content(nth).into()).unwrap();
                let keys: Vec<PageKey> = (0..sizes.len()).map(put).collect();
                for (nth, key) in keys.into_iter().enumerate() {
                    prop_assert_eq!(&column.take(key).unwrap()[..], &content(nth)[..]);
                }
                drop(column);
                // The second round takes the blocks of the first.
                prop_assert_eq!(n_free(&pool), sizes.iter().sum::<usize>().div_ceil(BLOCK_BYTES));
            }
        }
    }

    #[test]
    fn a_page_that_was_not_put_is_an_error() {
        assert!(pages_in(&PagePool::default()).take(PageKey::new(0)).is_err());
    }

    #[test]
    fn the_pool_has_as_many_blocks_as_were_in_use_at_once() {
        let pool = PagePool::default();
        for _ in 0..10 {
            let mut both = [pages_in(&pool), pages_in(&pool)];
            for column in &mut both {
                column.put(vec![1; BLOCK_BYTES + 1].into()).unwrap();
            }
        }
        assert_eq!(n_free(&pool), 4);
    }
}
