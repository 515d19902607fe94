//! Endless internal activity. A node from which only internal steps go on for ever, with nothing visible to come, is silent:
//! a tester who waits there sees the same as in a quiescent one. Internal steps are taken to be fair, as in divergent
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

    /// Per node the number of its group if it is livelocked. `ends` says which nodes show something or rest. Nodes that
    /// internal steps connect are of one group.
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

    fn groups(&self, escapes: &[bool]) -> Vec<Option<u32>> {
        let mut group: Vec<u32> = (0..escapes.len() as u32).collect();
        fn find(group: &mut [u32], mut node: u32) -> u32 {
            while group[node as usize] != node {
                let above = group[group[node as usize] as usize];
                group[node as usize] = above;
                node = above;
            }
            node
        }
        for (from, to) in &self.steps {
            if !escapes[*from as usize] && !escapes[*to as usize] {
                let (one, other) = (find(&mut group, *from), find(&mut group, *to));
                group[one.max(other) as usize] = one.min(other);
            }
        }
        (0..escapes.len() as u32)
            .map(|node| (!escapes[node as usize]).then(|| find(&mut group, node)))
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
    fn a_cycle_without_a_way_out_is_a_livelock_and_so_is_what_only_leads_there() {
        let found = steps(&[(0, 1), (1, 2), (2, 1), (3, 4), (4, 3), (4, 5)]);
        let ends = [false, false, false, false, false, true];
        let livelocks = found.livelocks(&ends);
        assert_eq!(livelocks, [Some(0), Some(0), Some(0), None, None, None]);
    }

    #[test]
    fn cycles_that_nothing_connects_are_groups_of_their_own() {
        let found = steps(&[(0, 0), (1, 1)]);
        assert_eq!(found.livelocks(&[false, false]), [Some(0), Some(1)]);
    }
}
