//! After an execution: finding its races and planning the executions in which they come the other
//! way round.

use super::happens_before::{Entry, EventId, SurelyReversible};
use super::path::{DecisionKind, chosen};
use super::wakeup::Step;
use super::{Exhaustive, MOST_PLANNED};
use crate::choice::Thread;

/// Two steps of an execution that could come the other way round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Race {
    first: EventId,
    second: Step,
    /// The second step's number, if it happened.
    event: Option<EventId>,
}

impl Exhaustive {
    /// Enters the execution into the order and reverses its races.
    pub(super) fn reverse_races(&mut self) {
        self.event_nodes.clear();
        let mut fresh_from = None;
        for (at, node) in self.path.iter().enumerate() {
            if matches!(node.kind, DecisionKind::Step(_)) {
                self.event_nodes.push(at as u32);
            }
            if at + 1 == self.repeated {
                // The step that took the new branch, or met the new alternative.
                fresh_from = Some(self.event_nodes.len() - 1);
            }
        }
        let fresh_from = fresh_from.unwrap_or(0).min(self.order.len());
        let left = self
            .left
            .iter()
            .map(|step| step.thread.index() + 1)
            .max()
            .unwrap_or(0);
        self.order
            .widen(self.steps_of.len().max(self.wakers.len()).max(left));
        self.order.rewind(fresh_from);
        self.races.retain(|race| {
            race.event
                .is_some_and(|event| (event as usize) < fresh_from)
        });
        let known = self.races.len();
        self.find_races(fresh_from);
        // Reversals of older races keep what is independent of them, and other alternatives of
        // that make other sequences.
        let took_alternative =
            self.repeated > 0 && matches!(self.path[self.repeated - 1].kind, DecisionKind::Data(_));
        for i in if took_alternative { 0 } else { known }..self.races.len() {
            self.reverse(self.races[i]);
            if self.wakeup_trees.live() > MOST_PLANNED {
                break;
            }
        }
        let mut revoked = std::mem::take(&mut self.revoked);
        for (node, step) in revoked.drain(..) {
            if self.event_nodes[fresh_from..].contains(&(node as u32)) {
                self.sequence.clear();
                self.sequence.push(step);
                self.plan(node);
            }
        }
        self.revoked = revoked;
    }

    fn find_races(&mut self, fresh_from: usize) {
        let (path, event_nodes, races) = (&self.path, &self.event_nodes, &mut self.races);
        let chosen_at = |event: EventId| chosen(path, event_nodes[event as usize] as usize);
        let ready_at = |event: EventId, thread: Thread| chosen_at(event).was_ready(thread);
        for event in 0..event_nodes.len() as EventId {
            let chosen = chosen_at(event);
            let entry = Entry {
                step: &chosen.step,
                objects: &chosen.objects,
            };
            if (event as usize) < fresh_from {
                self.order.keep(event, entry);
                continue;
            }
            let found = self.order.add(entry, &ready_at);
            races.extend(found.iter().map(|&(first, SurelyReversible(sure))| Race {
                first,
                // In its new place the step may touch what it did not touch here.
                second: Step {
                    sure,
                    op: chosen.announced,
                    ..chosen.step
                },
                event: Some(event),
            }));
        }
        for step in &self.left {
            let objects = self.order.dense(&step.op);
            let found = self.order.races_of_unborn(
                Entry {
                    step,
                    objects: &objects,
                },
                &ready_at,
            );
            races.extend(found.iter().map(|&(first, SurelyReversible(sure))| Race {
                first,
                second: Step { sure, ..*step },
                event: None,
            }));
        }
    }

    /// Plans an execution in which the second step of a race comes before the first.
    fn reverse(&mut self, Race { first, second, .. }: Race) {
        let node = self.event_nodes[first as usize] as usize;
        if node < self.floor() {
            return;
        }
        self.sequence.clear();
        for event in first as usize + 1..self.event_nodes.len() {
            if self.order.before(first, event as EventId) {
                continue;
            }
            let at = self.event_nodes[event] as usize;
            self.sequence.push(chosen(&self.path, at).step);
            for node in &self.path[at + 1..] {
                let DecisionKind::Data(alternatives) = &node.kind else {
                    break;
                };
                self.sequence.push_data(alternatives.value);
            }
        }
        // The last step stands for all that its thread may do there: its alternatives are left open.
        self.sequence.push(second);
        let alone = self.sequence.len() == 1;
        if !alone || chosen(&self.path, node).was_ready(second.thread) {
            self.plan(node);
        }
    }

    /// Adds the sequence at hand to the branches of a node, unless they cover it.
    fn plan(&mut self, node: usize) {
        if node < self.floor() {
            return;
        }
        let sequence = &self.sequence;
        let chosen = chosen(&self.path, node);
        if chosen
            .sleep
            .iter()
            .any(|sleeper| sequence.has_initial(sleeper.thread, &sleeper.op))
        {
            return;
        }
        self.wakeup_trees
            .insert(&mut self.path[node].todo, sequence);
    }
}
