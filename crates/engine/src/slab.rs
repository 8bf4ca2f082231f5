//! A table whose slots are allocated, freed and reused.

/// See the module.
#[derive(Debug)]
pub struct Slab<T> {
    entries: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab { entries: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    /// Stores a value and returns its slot.
    pub fn insert(&mut self, value: T) -> u32 {
        let Some(slot) = self.free.pop() else {
            self.entries.push(value);
            return self.entries.len() as u32 - 1;
        };
        self.entries[slot as usize] = value;
        slot
    }

    /// A slot for a value: a fresh one, or a freed one with the value of its last owner, whose memory is reused.
    pub fn allocate(&mut self, fresh: impl FnOnce() -> T) -> (u32, &mut T) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.entries.push(fresh());
            self.entries.len() as u32 - 1
        });
        (slot, &mut self.entries[slot as usize])
    }

    /// Frees a slot.
    pub fn remove(&mut self, slot: u32) {
        self.free.push(slot);
    }

    /// The value in a slot.
    #[inline]
    pub fn get(&self, slot: u32) -> &T {
        &self.entries[slot as usize]
    }

    /// The value in a slot, mutable.
    #[inline]
    pub fn get_mut(&mut self, slot: u32) -> &mut T {
        &mut self.entries[slot as usize]
    }

    /// All values, those of free slots included.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.entries.iter_mut()
    }

    /// All values, those of free slots included.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.entries.iter()
    }
}
