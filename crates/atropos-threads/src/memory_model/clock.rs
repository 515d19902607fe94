//! Vector clocks: how far each thread had come when something happened.

/// For each thread, the number of its operations that happened before; component 0 counts the
/// sequentially consistent fences that did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock(Vec<u32>);

impl Clock {
    /// The number of `thread`'s operations that happened before.
    #[inline]
    pub fn of(&self, thread: u32) -> u32 {
        self.0.get(thread as usize + 1).copied().unwrap_or(0)
    }

    /// The latest fence that happened before, counted from 1; 0 if none did.
    #[inline]
    pub fn fence(&self) -> u32 {
        self.0.first().copied().unwrap_or(0)
    }

    /// Counts one more operation of `thread` and returns its number.
    pub fn tick(&mut self, thread: u32) -> u32 {
        let place = self.at(thread as usize + 1);
        *place += 1;
        *place
    }

    /// This fence happened before.
    pub fn set_fence(&mut self, fence: u32) {
        *self.at(0) = fence;
    }

    /// What happened before the other happened before this, too.
    pub fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// Whether all that happened before this happened before the other.
    pub fn is_before(&self, other: &Clock) -> bool {
        let theirs = other.0.iter().copied().chain(std::iter::repeat(0));
        self.0
            .iter()
            .zip(theirs)
            .all(|(mine, theirs)| *mine <= theirs)
    }

    /// Makes this a copy of the other.
    pub fn copy(&mut self, other: &Clock) {
        self.0.clone_from(&other.0);
    }

    /// Nothing happened before.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn at(&mut self, place: usize) -> &mut u32 {
        if self.0.len() <= place {
            self.0.resize(place + 1, 0);
        }
        &mut self.0[place]
    }
}
