//! Endless internal activity. Nodes that internal steps lead around for ever, with nothing visible to come, are silent: a tester
//! who waits there sees the same as in a quiescent one. What only leads there is passed through, like other internal steps. Internal steps are taken to be fair, as in divergent
//! quiescent transition systems (Stokkink, Timmer and Stoelinga): where an output, or a way out, stays possible, it comes.

/// Internal steps between the nodes of a closure, by their numbers.
#[derive(Default)]
pub(super) struct InternalSteps {
    steps: Vec<(u32, u32)>,
    /// Some node was reached twice: without that there is no cycle.
    pub revisited: bool,
}

impl InternalSteps {
    pub fn add(&mut self, from: u32, to: u32) {
        self.steps.push((from, to));
    }

    /// Per node the number of its group if it is livelocked: nodes that lead to each other for ever, and nowhere else. `ends`
    /// says which nodes show something or rest.
    pub fn livelocks(&self, ends: &[bool]) -> Vec<Option<u32>> {
        let mut escapes = ends.to_vec();
        if !self.revisited {
            return vec![None; ends.len()];
        }
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); ends.len()];
        for (from, to) in &self.steps {
            before[*to as usize].push(*from);
        }
        let mut open: Vec<u32> = (0..ends.len() as u32)
            .filter(|node| ends[*node as usize])
            .collect();
        while let Some(node) = open.pop() {
            for from in &before[node as usize] {
                if !std::mem::replace(&mut escapes[*from as usize], true) {
                    open.push(*from);
                }
            }
        }
        self.groups(&escapes)
    }

    /// The strongly connected parts of what does not escape that nothing leaves, by Kosaraju's algorithm.
    fn groups(&self, escapes: &[bool]) -> Vec<Option<u32>> {
        let count = escapes.len();
        let mut after: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (from, to) in &self.steps {
            if !escapes[*from as usize] && !escapes[*to as usize] {
                after[*from as usize].push(*to);
                before[*to as usize].push(*from);
            }
        }
        let mut order = Vec::new();
        let mut seen = escapes.to_vec();
        for start in 0..count as u32 {
            // Per node how many of its successors were looked at.
            let mut path: Vec<(u32, usize)> = Vec::new();
            if !std::mem::replace(&mut seen[start as usize], true) {
                path.push((start, 0));
            }
            while let Some((node, looked)) = path.last_mut() {
                match after[*node as usize].get(*looked) {
                    Some(next) => {
                        *looked += 1;
                        if !std::mem::replace(&mut seen[*next as usize], true) {
                            path.push((*next, 0));
                        }
                    }
                    None => order.extend(path.pop().map(|(node, _)| node)),
                }
            }
        }
        let mut part: Vec<Option<u32>> = vec![None; count];
        for start in order.into_iter().rev() {
            let mut open = vec![start];
            while let Some(node) = open.pop() {
                if part[node as usize].is_none() {
                    part[node as usize] = Some(start);
                    open.extend(before[node as usize].iter().copied());
                }
            }
        }
        let mut left: Vec<bool> = vec![false; count];
        for (from, nexts) in after.iter().enumerate() {
            let leaves = nexts.iter().any(|to| part[*to as usize] != part[from]);
            if let Some(of) = part[from].filter(|_| leaves) {
                left[of as usize] = true;
            }
        }
        part.into_iter()
            .map(|of| of.filter(|of| !left[*of as usize]))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(steps: &[(u32, u32)]) -> InternalSteps {
        InternalSteps {
            steps: steps.to_vec(),
            revisited: true,
        }
    }

    #[test]
    fn a_cycle_without_a_way_out_is_a_livelock() {
        let found = steps(&[(0, 1), (1, 2), (2, 1), (3, 4), (4, 3), (4, 5)]);
        let ends = [false, false, false, false, false, true];
        let livelocks = found.livelocks(&ends);
        let group = livelocks[1];
        assert!(group.is_some());
        assert_eq!(livelocks, [None, group, group, None, None, None]);
    }

    #[test]
    fn cycles_that_nothing_connects_are_groups_of_their_own() {
        let found = steps(&[(0, 0), (1, 1)]);
        assert_eq!(found.livelocks(&[false, false]), [Some(0), Some(1)]);
    }
}
