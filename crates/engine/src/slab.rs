//! A table whose places are given, taken back and used again.

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
    /// Stores a value and tells its place.
    pub fn insert(&mut self, value: T) -> u32 {
        let Some(place) = self.free.pop() else {
            self.entries.push(value);
            return self.entries.len() as u32 - 1;
        };
        self.entries[place as usize] = value;
        place
    }

    /// A place for a value: a fresh one, or what the last owner of a place has left there, which keeps its memory.
    pub fn place(&mut self, fresh: impl FnOnce() -> T) -> (u32, &mut T) {
        let place = self.free.pop().unwrap_or_else(|| {
            self.entries.push(fresh());
            self.entries.len() as u32 - 1
        });
        (place, &mut self.entries[place as usize])
    }

    /// Takes a place back.
    pub fn remove(&mut self, place: u32) {
        self.free.push(place);
    }

    /// The value at a place.
    #[inline]
    pub fn get(&self, place: u32) -> &T {
        &self.entries[place as usize]
    }

    /// The value at a place, to be changed.
    #[inline]
    pub fn get_mut(&mut self, place: u32) -> &mut T {
        &mut self.entries[place as usize]
    }

    /// All values, those of free places included.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.entries.iter_mut()
    }

    /// All values, those of free places included.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.entries.iter()
    }
}
