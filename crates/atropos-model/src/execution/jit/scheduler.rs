//! Depth-first search over the choices of one iteration. The compiled model asks for one choice after the other; a
//! trace is the list of answers. `//` is a choice too, whose right side is tried only if no trace came through the
//! left.

#[derive(Clone, Copy, Debug)]
struct Choice {
    taken: u32,
    count: u32,
    /// A `//`: whether some trace came through the alternative taken.
    priority: Option<bool>,
}

#[derive(Clone, Debug, Default)]
pub struct Scheduler {
    choices: Vec<Choice>,
    /// How many choices the running trace has asked for.
    at: usize,
}

impl Scheduler {
    /// Forgets everything: the first trace of another iteration.
    pub fn reset(&mut self) {
        self.choices.clear();
        self.at = 0;
    }

    /// An alternative below `count`, which is not 0.
    pub fn choose(&mut self, count: u32) -> u32 {
        self.ask(count, None)
    }

    /// An alternative of a `//`.
    pub fn prioritise(&mut self, count: u32) -> u32 {
        self.ask(count, Some(false))
    }

    fn ask(&mut self, count: u32, priority: Option<bool>) -> u32 {
        if self.at == self.choices.len() {
            self.choices.push(Choice {
                taken: 0,
                count,
                priority,
            });
        }
        self.at += 1;
        self.choices[self.at - 1].taken
    }

    /// Goes over to the next alternative of a choice; `false` if there is none.
    pub fn advance(&mut self, position: usize) -> bool {
        let choice = &mut self.choices[position];
        let more = choice.taken + 1 < choice.count;
        choice.taken += u32::from(more);
        more
    }

    /// How many choices were asked for: names the next one.
    pub fn position(&self) -> usize {
        self.at
    }

    /// The trace came through the alternative of the `//` at this position.
    pub fn came_through(&mut self, position: usize) {
        if let Some(choice) = self.choices.get_mut(position)
            && choice.priority.is_some()
        {
            choice.priority = Some(true);
        }
    }

    /// An error ends the trace: whatever it is inside of is enabled.
    pub fn failed(&mut self) {
        for position in 0..self.at {
            self.came_through(position);
        }
    }

    /// Prepares the next trace; `false` if there is none.
    pub fn next(&mut self) -> bool {
        self.choices.truncate(self.at);
        self.at = 0;
        while let Some(last) = self.choices.last_mut() {
            if last.priority != Some(true) && last.taken + 1 < last.count {
                last.taken += 1;
                return true;
            }
            self.choices.pop();
        }
        false
    }
}
