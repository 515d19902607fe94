//! Every schedule, one per class of equivalent ones: optimal dynamic partial-order reduction with
//! wakeup trees (Abdulla, Aronis, Jonsson and Sagonas, JACM 2017).
//!
//! [`Exhaustive`] is a depth-first search by re-execution. After each execution the races in it
//! are reversed: the steps that don't depend on the first of the two, followed by the second, are put
//! into the wakeup tree of the node before the first. Sleep sets tell what is covered already.
//!
//! Deviations from the paper:
//! - data choices are nodes of their own, all of whose alternatives are explored (see `wakeup`);
//! - blocking: locks as described in `happens_before`; for other operations that may block, a reversal that
//!   may turn out to be impossible is tried, and if the thread is blocked where it should go first,
//!   the execution is abandoned. What threads that are blocked at the end were about to do counts
//!   as if it had happened last. On programs whose only blocking operations are locks and joins no
//!   execution is abandoned: there is one for each class;
//! - a step that cuts the execution short ([`ExecutionPhase::CutShort`]) conflicts with everything. If any
//!   execution fails, one is found; but once some are cut short, others that would end differently
//!   may be left out, since what the threads would have done is not known;
//! - an execution of more than [`LONGEST`] choices, or more planned steps than [`MOST_PLANNED`], is given up, and the search
//!   with it: its races would take longer to reverse than anybody waits, and it would not be finished anyway;
//! - an operation that another thread's step replaces (a timeout, by a notification) gets its turn
//!   just before that step.

mod happens_before;
mod path;
mod reversal;
mod wakeup;

use crate::choice::{Choice, Thread};
use crate::op::Op;
use crate::schedule::Schedule;
use crate::split::WorkItem;
use crate::strategy::{
    Coverage, Divergence, DivergenceKind, SearchProgress, ShareOfTree, Strategy,
};
use crate::system::{ExecutionEnd, ExecutionPhase, Guide, Pending, SchedulingPoint};
use happens_before::HappensBefore;
use path::{Alternatives, Chosen, DecisionKind, Node, Sleeper, chosen};
use reversal::Race;
use wakeup::{FirstBranch, List, Sequence, Step, SubtreePlan, WakeupTrees};

/// The longest execution that is worth reducing: the work on one grows with the square of its length.
const LONGEST: usize = 20_000;
/// Steps of planned executions to keep in memory at most.
const MOST_PLANNED: usize = 4_000_000;

/// Why an execution is abandoned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AbandonReason {
    /// Everything from here on is covered elsewhere.
    Asleep,
    /// It was to try a reversal that is not possible.
    Impossible,
    /// It goes on for too long; so does the search.
    TooLong,
}

/// Optimal dynamic partial-order reduction.
#[derive(Clone, Debug, Default)]
pub struct Exhaustive {
    path: Vec<Node>,
    /// Chosen boxes that are out of use, kept for their memory.
    #[allow(clippy::vec_box)] // The boxes themselves are used again.
    spare: Vec<Box<Chosen>>,
    wakeup_trees: WakeupTrees,
    order: HappensBefore,
    /// The nodes up to here repeat the execution before; the last of them took a new branch.
    repeated: usize,
    /// The part of the tree to explore; nodes above it are expanded elsewhere.
    item: WorkItem,
    /// The branches that the next node has to take.
    guiding: SubtreePlan,
    started: bool,

    // The execution under way.
    at: usize,
    running: Option<usize>,
    steps_of: Vec<u32>,
    wakers: Vec<Option<(Thread, u32)>>,
    revocable: Vec<Step>,
    /// Operations that a step (by node) took away from a thread that was ready for it.
    revoked: Vec<(usize, Step)>,
    /// What threads were about to do when the execution ended.
    left: Vec<Step>,
    abandoned: Option<AbandonReason>,
    fresh: bool,

    // Between executions.
    event_nodes: Vec<u32>,
    races: Vec<Race>,
    sequence: Sequence,
    /// Executions that ended, or came to where everything is covered elsewhere.
    ends: u64,
    progress: SearchProgress,
    finished: bool,
    /// There is too much to explore.
    gave_up: bool,
    divergence: Option<Divergence>,
}

impl Default for SubtreePlan {
    fn default() -> SubtreePlan {
        SubtreePlan::FREE
    }
}

impl Exhaustive {
    pub fn new() -> Exhaustive {
        Exhaustive::default()
    }

    /// A search of one part of the tree.
    pub fn of_part(item: WorkItem) -> Exhaustive {
        Exhaustive {
            item,
            ..Exhaustive::default()
        }
    }

    /// Whether the search ended because there is too much to explore.
    pub fn gave_up(&self) -> bool {
        self.gave_up
    }

    /// How many steps are planned and not yet explored; none when the search is finished.
    pub fn planned(&self) -> usize {
        self.wakeup_trees.live()
    }

    fn floor(&self) -> usize {
        self.item.prefix.len()
    }

    fn part(&mut self, choice: Choice, cause: DivergenceKind) {
        let at = self.at;
        self.divergence
            .get_or_insert(Divergence { at, choice, cause });
    }

    /// The step that a thread is about to take.
    fn next_step(&self, pending: &Pending) -> Step {
        let index = pending.thread.index();
        Step {
            thread: pending.thread,
            seq: self.steps_of.get(index).copied().unwrap_or(0),
            waker: self.wakers.get(index).copied().flatten(),
            op: pending.op,
            sure: true,
        }
    }

    /// Begins the step of a thread: counts it, and uses up who woke it.
    fn step_of(&mut self, pending: &Pending) -> Step {
        let step = self.next_step(pending);
        let index = pending.thread.index();
        if self.steps_of.len() <= index {
            self.steps_of.resize(index + 1, 0);
        }
        self.steps_of[index] += 1;
        if let Some(waker) = self.wakers.get_mut(index) {
            *waker = None;
        }
        step
    }

    /// Repeats the decision of an earlier execution, or takes the new branch at its end.
    fn repeat(&mut self, point: &SchedulingPoint<'_>) -> Option<Thread> {
        let at = self.at;
        let DecisionKind::Step(chosen) = &self.path[at].kind else {
            self.part(Choice::data(0), DivergenceKind::Question);
            return None;
        };
        let thread = chosen.step.thread;
        let Some(pending) = point.find(thread).filter(|pending| pending.ready).copied() else {
            self.part(Choice::thread(thread), DivergenceKind::NotReady);
            return None;
        };
        let is_new = at + 1 == self.repeated;
        if !is_new && chosen.announced != pending.op {
            let cause = DivergenceKind::Operation {
                before: chosen.announced,
                now: pending.op,
            };
            self.part(Choice::thread(thread), cause);
            return None;
        }
        let step = self.step_of(&pending);
        let objects = is_new.then(|| self.order.dense(&pending.op));
        let DecisionKind::Step(chosen) = &mut self.path[at].kind else {
            unreachable!("checked above")
        };
        chosen.step = step;
        if let Some(objects) = objects {
            chosen.announced = pending.op;
            chosen.announced_objects = objects;
        }
        chosen.objects = chosen.announced_objects;
        self.fresh = is_new;
        Some(thread)
    }

    /// A scheduling decision that no execution has come to yet.
    fn extend(&mut self, point: &SchedulingPoint<'_>) -> Option<Thread> {
        let mut chosen = self
            .spare
            .pop()
            .unwrap_or_else(|| Box::new(Chosen::empty()));
        self.fill_sleep(&mut chosen);
        let mut todo = std::mem::take(&mut self.guiding).children;
        let pending = if self.path.len() < self.floor() {
            self.given_choice(point)
        } else if todo.is_empty() {
            self.free_choice(point, &chosen)
        } else {
            self.guided_choice(point, &chosen, &mut todo)
        };
        let Some(pending) = pending else {
            self.spare.push(chosen);
            return None;
        };
        chosen.step = self.step_of(&pending);
        chosen.announced = pending.op;
        chosen.announced_objects = self.order.dense(&pending.op);
        chosen.objects = chosen.announced_objects;
        chosen.variants.clear();
        chosen.note_ready(point);
        self.push(DecisionKind::Step(chosen), todo);
        self.fresh = true;
        Some(pending.thread)
    }

    /// Who sleeps here: who slept at the node before, or was done there, and did not notice the step since.
    fn fill_sleep(&self, chosen: &mut Chosen) {
        chosen.sleep.clear();
        let Some(before) = self.running else { return };
        let DecisionKind::Step(before) = &self.path[before].kind else {
            unreachable!("steps run")
        };
        let step = &before.step;
        let sleeping = |thread: Thread| {
            before
                .sleep
                .iter()
                .all(|other| other.thread != thread || !other.op.conflicts(&step.op))
        };
        let still = before
            .sleep
            .iter()
            .filter(|s| s.thread != step.thread && sleeping(s.thread));
        chosen.sleep.extend(still);
    }

    fn push(&mut self, kind: DecisionKind, todo: List) {
        let ends_before = self.ends;
        self.path.push(Node {
            kind,
            done: 0,
            ends_before,
            todo,
        });
    }

    /// The choice that the work item gives.
    fn given_choice(&mut self, point: &SchedulingPoint<'_>) -> Option<Pending> {
        let choice = self.item.prefix[self.path.len()].choice;
        let pending = choice
            .as_thread()
            .and_then(|thread| point.find(thread))
            .filter(|pending| pending.ready);
        if pending.is_none() {
            self.part(choice, DivergenceKind::NotReady);
        }
        pending.copied()
    }

    /// Whether an earlier part of the tree has an execution of the same class: one of its threads
    /// could have gone first where this part begins with another.
    fn belongs_to_another_part(&self) -> bool {
        self.item.prefix.iter().enumerate().any(|(from, given)| {
            given
                .done
                .iter()
                .any(|&thread| self.could_come_first(thread, from))
        })
    }

    fn could_come_first(&self, thread: Thread, from: usize) -> bool {
        let steps = self.path[from..]
            .iter()
            .filter_map(|node| match &node.kind {
                DecisionKind::Step(chosen) => Some(&chosen.step),
                DecisionKind::Data(_) => None,
            });
        let mut before = Vec::new();
        for step in steps {
            if step.thread == thread {
                return before.iter().all(|earlier| !step.depends_on(earlier));
            }
            before.push(*step);
        }
        false
    }

    /// The first branch of the wakeup tree that can be taken.
    fn guided_choice(
        &mut self,
        point: &SchedulingPoint<'_>,
        chosen: &Chosen,
        todo: &mut List,
    ) -> Option<Pending> {
        let mut why = AbandonReason::Impossible;
        while !todo.is_empty() {
            let FirstBranch::Step(thread) = self.wakeup_trees.first(*todo) else {
                self.part(Choice::data(0), DivergenceKind::Question);
                return None;
            };
            let plan = self.wakeup_trees.take_first(todo);
            let pending = point.find(thread).filter(|pending| pending.ready);
            if pending.is_some() && !chosen.is_asleep(thread) {
                self.guiding = plan;
                return pending.copied();
            }
            if pending.is_some() {
                why = AbandonReason::Asleep;
            }
            self.wakeup_trees.drop_plan(plan);
        }
        self.abandoned = Some(why);
        None
    }

    /// The thread that ran last if it can go on, else the first that can: few switches to read in a
    /// schedule, and none that a yielding thread did not ask for. If all yield, the one that ran the longest ago.
    fn free_choice(&mut self, point: &SchedulingPoint<'_>, chosen: &Chosen) -> Option<Pending> {
        let last = self.running.map(|at| self.thread_at(at));
        let awake = |pending: &&Pending| pending.ready && !chosen.is_asleep(pending.thread);
        let ran = |thread: Thread| {
            self.path.iter().rposition(|node| match &node.kind {
                DecisionKind::Step(chosen) => chosen.step.thread == thread,
                DecisionKind::Data(_) => false,
            })
        };
        let eager = point.threads.iter().filter(awake);
        let eager = eager.filter(|pending| !pending.op.is_yielding());
        let eager = eager.min_by_key(|pending| (Some(pending.thread) != last, pending.thread));
        let yielding = || {
            let yielding = point.threads.iter().filter(awake);
            yielding.min_by_key(|pending| (ran(pending.thread), pending.thread))
        };
        let best = eager.or_else(yielding).copied();
        if best.is_none() {
            self.abandoned = Some(AbandonReason::Asleep);
        }
        best
    }

    fn thread_at(&self, at: usize) -> Thread {
        match &self.path[at].kind {
            DecisionKind::Step(chosen) => chosen.step.thread,
            DecisionKind::Data(_) => unreachable!("steps run"),
        }
    }

    /// Notices ready operations that the last step took away.
    fn note_revoked(&mut self, point: &SchedulingPoint<'_>) {
        if let Some(node) = self.running {
            let ran = self.thread_at(node);
            for step in self.revocable.drain(..) {
                let now = point.find(step.thread);
                let same = now.is_some_and(|pending| pending.ready && pending.op == step.op);
                if step.thread != ran && !same {
                    self.revoked.push((node, step));
                }
            }
        }
        for pending in point.ready().filter(|pending| pending.op.is_revocable()) {
            let step = self.next_step(pending);
            self.revocable.push(step);
        }
    }

    /// Takes in the final state.
    fn finish(&mut self, point: &SchedulingPoint<'_>) {
        if point.phase == ExecutionPhase::CutShort
            && let Some(at) = self.running
        {
            // The step that ended everything can't be swapped with anything.
            let DecisionKind::Step(chosen) = &mut self.path[at].kind else {
                unreachable!("steps run")
            };
            chosen.step.op = Op::universal();
        }
        for pending in point.threads {
            let step = self.next_step(pending);
            self.left.push(step);
        }
    }

    /// Goes back to the deepest node with a branch left and takes it.
    fn backtrack(&mut self) -> bool {
        while self.path.len() > self.floor() {
            if self.next_branch() {
                self.repeated = self.path.len();
                return true;
            }
            let node = self.path.pop().expect("the path is not empty");
            if let DecisionKind::Step(chosen) = node.kind {
                self.spare.push(chosen);
            }
        }
        false
    }

    fn next_branch(&mut self) -> bool {
        let at = self.path.len() - 1;
        let node = &mut self.path[at];
        node.done += 1;
        // A branch without an end led nowhere: it covers nothing, so nothing sleeps because of it.
        let led_somewhere = self.ends > std::mem::replace(&mut node.ends_before, self.ends);
        match &mut node.kind {
            DecisionKind::Step(chosen) => {
                let thread = chosen.step.thread;
                if led_somewhere {
                    let ops = chosen.variants.iter().chain([&chosen.step.op]);
                    chosen.sleep.extend(ops.map(|&op| Sleeper { thread, op }));
                }
                chosen.variants.clear();
                while !node.todo.is_empty() {
                    let FirstBranch::Step(next) = self.wakeup_trees.first(node.todo) else {
                        unreachable!("steps are listed with steps")
                    };
                    let plan = self.wakeup_trees.take_first(&mut node.todo);
                    if chosen.was_ready(next) {
                        chosen.step.thread = next;
                        self.guiding = plan;
                        return true;
                    }
                    self.wakeup_trees.drop_plan(plan);
                }
                return false;
            }
            DecisionKind::Data(alternatives) => {
                if node.todo.is_empty() {
                    let Some(next) = alternatives.next_other() else {
                        self.wakeup_trees
                            .drop_list(alternatives.others.unwrap_or(List::EMPTY));
                        return false;
                    };
                    alternatives.value = next;
                    let children = self
                        .wakeup_trees
                        .copy(alternatives.others.unwrap_or(List::EMPTY));
                    self.guiding = SubtreePlan {
                        children,
                        ..SubtreePlan::FREE
                    };
                } else {
                    let FirstBranch::Data(next) = self.wakeup_trees.first(node.todo) else {
                        unreachable!("alternatives are listed together")
                    };
                    alternatives.value = next;
                    self.guiding = self.wakeup_trees.take_first(&mut node.todo);
                }
                self.keep_variant(at);
            }
        }
        true
    }

    /// Remembers what the step around an alternative touched, before it takes another alternative.
    fn keep_variant(&mut self, data: usize) {
        let owner = self.path[..data]
            .iter_mut()
            .rev()
            .find_map(|node| match &mut node.kind {
                DecisionKind::Step(chosen) => Some(chosen),
                DecisionKind::Data(_) => None,
            });
        let owner = owner.expect("an alternative belongs to a step");
        if !owner.variants.contains(&owner.step.op) {
            owner.variants.push(owner.step.op);
        }
    }

    fn share(&self) -> f64 {
        let mut share = ShareOfTree::new();
        for node in &self.path {
            let open = match &node.kind {
                DecisionKind::Step(_) => self.wakeup_trees.len(node.todo),
                DecisionKind::Data(alternatives) => {
                    alternatives.open(self.wakeup_trees.len(node.todo))
                }
            };
            share.descend(node.done, open);
        }
        share.with_leaf()
    }
}

impl Guide for Exhaustive {
    fn choose(&mut self, point: &SchedulingPoint<'_>) -> Option<Thread> {
        if self.divergence.is_some() || self.abandoned.is_some() {
            return None;
        }
        self.note_revoked(point);
        if point.is_over() {
            if self.at < self.path.len() {
                self.part(Choice::thread(self.thread_at(self.at)), DivergenceKind::End);
            }
            self.finish(point);
            return None;
        }
        if self.at >= LONGEST {
            self.abandoned = Some(AbandonReason::TooLong);
            self.gave_up = true;
            return None;
        }
        let thread = match self.at < self.path.len() {
            true => self.repeat(point),
            false => self.extend(point),
        }?;
        self.running = Some(self.at);
        self.at += 1;
        Some(thread)
    }

    fn data(&mut self, options: u32) -> u32 {
        if options <= 1 || self.divergence.is_some() {
            return 0;
        }
        if self.at < self.path.len() {
            let is_new = self.at + 1 == self.repeated;
            let (value, before) = match &self.path[self.at].kind {
                DecisionKind::Data(alternatives) => (alternatives.value, alternatives.options),
                DecisionKind::Step(chosen) => {
                    let choice = Choice::thread(chosen.step.thread);
                    self.part(choice, DivergenceKind::Question);
                    return 0;
                }
            };
            if before != options {
                self.part(
                    Choice::data(value),
                    DivergenceKind::Alternatives {
                        before,
                        now: options,
                    },
                );
                return 0;
            }
            self.fresh = is_new;
            self.at += 1;
            return value;
        }
        let SubtreePlan {
            children: mut todo,
            others,
        } = std::mem::take(&mut self.guiding);
        let mut made = Alternatives {
            value: 0,
            options,
            guided: Vec::new(),
            others: Some(List::EMPTY),
            next_other: 1,
        };
        if self.path.len() < self.floor() {
            let choice = self.item.prefix[self.path.len()].choice;
            match choice.as_data() {
                Some(value) if value < options => made.value = value,
                _ => self.part(choice, DivergenceKind::Question),
            }
        }
        if !todo.is_empty() {
            let FirstBranch::Data(first) = self.wakeup_trees.first(todo) else {
                self.wakeup_trees.drop_list(todo);
                self.part(Choice::data(0), DivergenceKind::Question);
                return 0;
            };
            made = Alternatives {
                value: first,
                next_other: 0,
                others,
                ..made
            };
            made.guided.extend(self.wakeup_trees.alternatives(todo));
            self.guiding = self.wakeup_trees.take_first(&mut todo);
        }
        let value = made.value;
        self.push(DecisionKind::Data(made), todo);
        self.fresh = true;
        self.at += 1;
        value
    }

    fn refine(&mut self, op: Op) {
        let Some(at) = self.running else { return };
        let objects = self.order.dense(&op);
        let DecisionKind::Step(chosen) = &mut self.path[at].kind else {
            unreachable!("steps run")
        };
        chosen.step.op = op;
        chosen.objects = objects;
    }

    fn wake(&mut self, thread: Thread) {
        let Some(at) = self.running else { return };
        let step = &chosen(&self.path, at).step;
        let waker = (step.thread, step.seq);
        if self.wakers.len() <= thread.index() {
            self.wakers.resize(thread.index() + 1, None);
        }
        self.wakers[thread.index()].get_or_insert(waker);
    }

    fn is_fresh(&self) -> bool {
        self.fresh
    }

    fn repeats(&self) -> usize {
        self.repeated.saturating_sub(1)
    }
}

impl Strategy for Exhaustive {
    fn begin(&mut self) -> bool {
        if self.finished || self.gave_up || self.divergence.is_some() {
            return false;
        }
        // An execution that was cut short may have left some of what it should have done.
        let rest = std::mem::take(&mut self.guiding);
        self.wakeup_trees.drop_plan(rest);
        if self.started && !self.backtrack() {
            self.finished = true;
            return false;
        }
        self.started = true;
        self.at = 0;
        self.running = None;
        self.steps_of.fill(0);
        self.wakers.fill(None);
        self.revocable.clear();
        self.revoked.clear();
        self.left.clear();
        self.abandoned = None;
        true
    }

    fn end(&mut self, end: ExecutionEnd) {
        if self.divergence.is_some() {
            return;
        }
        if self.gave_up {
            self.progress.abandoned += 1;
            return;
        }
        self.reverse_races();
        self.gave_up = self.wakeup_trees.live() > MOST_PLANNED;
        self.ends += u64::from(self.abandoned != Some(AbandonReason::Impossible));
        match end {
            ExecutionEnd::Stopped => self.progress.abandoned += 1,
            _ if self.belongs_to_another_part() => self.progress.abandoned += 1,
            _ => self.progress.executions += 1,
        }
    }

    fn schedule(&self) -> Schedule {
        let choices = self.path.iter().map(|node| match &node.kind {
            DecisionKind::Step(chosen) => Choice::thread(chosen.step.thread),
            DecisionKind::Data(alternatives) => Choice::data(alternatives.value),
        });
        Schedule {
            choices: choices.collect(),
        }
    }

    fn coverage(&self) -> Coverage {
        match self.finished {
            true => Coverage::All,
            false => Coverage::Part {
                schedules: self.progress.executions,
            },
        }
    }

    fn progress(&self) -> SearchProgress {
        let share = if self.finished { 1.0 } else { self.share() };
        SearchProgress {
            share: if self.started { share } else { 0.0 },
            ..self.progress
        }
    }

    fn divergence(&self) -> Option<Divergence> {
        self.divergence
    }
}
