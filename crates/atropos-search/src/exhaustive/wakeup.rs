//! Wakeup trees: for a node of the search, the sequences of steps that still have to be explored
//! from it, folded where their beginnings are equivalent (Abdulla, Aronis, Jonsson and Sagonas,
//! "Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction", JACM 2017).
//!
//! Deviation: the paper has no data choices. Here the alternatives that a step took follow its node
//! as nodes of their own. The last step of a sequence leaves its alternatives open: all of them are
//! to be explored. Alternatives that no sequence asks for are not explored below an inner node: each
//! that matters comes with a sequence of its own.

use crate::choice::Thread;
use crate::op::Op;

/// Number of a tree node in the arena.
pub(super) type NodeId = u32;

/// A list of siblings. Empty lists are [`List::EMPTY`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct List(NodeId);

impl List {
    pub(super) const EMPTY: List = List(NodeId::MAX);

    pub(super) fn is_empty(self) -> bool {
        self == List::EMPTY
    }
}

/// One step of a sequence: enough of it to tell what it depends on in another order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub thread: Thread,
    /// How many steps of the thread came before.
    pub seq: u32,
    /// The step that made this one possible by waking the thread.
    pub waker: Option<(Thread, u32)>,
    pub op: Op,
    /// False if the step stands at the end of a sequence and its thread may be blocked there.
    pub sure: bool,
}

impl Step {
    /// Whether this step, coming after `earlier`, can't be swapped with it.
    pub(super) fn depends_on(&self, earlier: &Step) -> bool {
        self.thread == earlier.thread
            || self.waker == Some((earlier.thread, earlier.seq))
            || self.op.conflicts(&earlier.op)
    }
}

/// A sequence of steps with the alternatives that each took.
#[derive(Clone, Debug, Default)]
pub(super) struct Sequence {
    /// Each step with the place where its alternatives start.
    steps: Vec<(Step, u32)>,
    data: Vec<u32>,
    /// The numbers of all steps, kept so that asking about the whole sequence allocates nothing.
    all: Vec<u32>,
}

impl Sequence {
    pub(super) fn clear(&mut self) {
        self.steps.clear();
        self.data.clear();
        self.all.clear();
    }

    pub(super) fn push(&mut self, step: Step) {
        self.all.push(self.steps.len() as u32);
        self.steps.push((step, self.data.len() as u32));
    }

    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Adds an alternative to the last step pushed.
    pub(super) fn push_data(&mut self, value: u32) {
        self.data.push(value);
    }

    fn data_of(&self, i: usize) -> std::ops::Range<usize> {
        let end = self
            .steps
            .get(i + 1)
            .map_or(self.data.len(), |next| next.1 as usize);
        self.steps[i].1 as usize..end
    }

    /// Whether the thread's step `op` could come first: see [`ThreadPosition`].
    pub(super) fn has_initial(&self, thread: Thread, op: &Op) -> bool {
        self.position(&self.all, thread, op) != ThreadPosition::Later
    }

    /// Where a thread stands among the steps `live` of the sequence.
    fn position(&self, live: &[u32], thread: Thread, op: &Op) -> ThreadPosition {
        for (at, &i) in live.iter().enumerate() {
            let step = &self.steps[i as usize].0;
            if step.thread != thread {
                continue;
            }
            let free = live[..at]
                .iter()
                .all(|&j| !step.depends_on(&self.steps[j as usize].0));
            return if free {
                ThreadPosition::First(at)
            } else {
                ThreadPosition::Later
            };
        }
        let free = live
            .iter()
            .all(|&i| !self.steps[i as usize].0.op.conflicts(op));
        if free {
            ThreadPosition::Beside
        } else {
            ThreadPosition::Later
        }
    }
}

/// Where a thread stands in a sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ThreadPosition {
    /// Its first step there could as well be the very first.
    First(usize),
    /// It takes no part and disturbs nobody: its next step could come first.
    Beside,
    /// It can't come first.
    Later,
}

/// Whether a sequence takes a step of the tree, and with which alternatives.
enum StepMatch {
    /// It does not.
    Not,
    /// It takes these alternatives.
    With(std::ops::Range<usize>),
    /// It takes all alternatives: the step is its last.
    Open,
}

#[derive(Clone, Debug)]
enum Label {
    Step(Step),
    Data(u32),
}

#[derive(Clone, Debug)]
struct Node {
    label: Label,
    children: List,
    next: List,
    /// What to do below alternatives that `children` don't list; nothing if they need no exploration.
    others: Option<List>,
}

/// What to explore below a branch.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubtreePlan {
    pub children: List,
    pub others: Option<List>,
}

impl SubtreePlan {
    /// Nothing is asked for: explore freely.
    pub(super) const FREE: SubtreePlan = SubtreePlan {
        children: List::EMPTY,
        others: Some(List::EMPTY),
    };
}

/// All wakeup trees of a search, in one arena with a free list: no allocation once it has its size.
#[derive(Clone, Debug, Default)]
pub(super) struct WakeupTrees {
    nodes: Vec<Node>,
    free: Vec<NodeId>,
    scratch: Vec<u32>,
}

/// What the first branch of a list says.
pub(super) enum FirstBranch {
    Step(Thread),
    Data(u32),
}

impl WakeupTrees {
    /// How many nodes are in use.
    pub(super) fn live(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    fn node(&self, list: List) -> &Node {
        &self.nodes[list.0 as usize]
    }

    /// The first branch of a list that is not empty.
    pub(super) fn first(&self, list: List) -> FirstBranch {
        match &self.node(list).label {
            Label::Step(step) => FirstBranch::Step(step.thread),
            Label::Data(value) => FirstBranch::Data(*value),
        }
    }

    /// Takes the first branch off the list and returns what grows on it.
    pub(super) fn take_first(&mut self, list: &mut List) -> SubtreePlan {
        let taken = *list;
        let node = self.node(taken);
        let plan = SubtreePlan {
            children: node.children,
            others: node.others,
        };
        *list = node.next;
        self.free.push(taken.0);
        plan
    }

    /// Gives back what grew on a branch.
    pub(super) fn drop_plan(&mut self, plan: SubtreePlan) {
        self.drop_list(plan.children);
        self.drop_list(plan.others.unwrap_or(List::EMPTY));
    }

    /// The same trees once more.
    pub(super) fn copy(&mut self, list: List) -> List {
        if list.is_empty() {
            return list;
        }
        let Node {
            label,
            children,
            next,
            others,
        } = self.node(list).clone();
        let children = self.copy(children);
        let next = self.copy(next);
        let others = others.map(|others| self.copy(others));
        let copy = self.new_node(label, children, others);
        self.nodes[copy.0 as usize].next = next;
        copy
    }

    /// The alternatives that the branches of a list take.
    pub(super) fn alternatives(&self, list: List) -> impl Iterator<Item = u32> + '_ {
        let mut at = list;
        std::iter::from_fn(move || {
            if at.is_empty() {
                return None;
            }
            let node = self.node(at);
            at = node.next;
            match node.label {
                Label::Data(value) => Some(value),
                Label::Step(_) => unreachable!("alternatives are listed with alternatives"),
            }
        })
    }

    /// How many branches the list has.
    pub(super) fn len(&self, mut list: List) -> usize {
        let mut len = 0;
        while !list.is_empty() {
            len += 1;
            list = self.node(list).next;
        }
        len
    }

    /// Gives back a whole list of trees.
    pub(super) fn drop_list(&mut self, mut list: List) {
        while !list.is_empty() {
            let node = self.node(list);
            let (plan, next) = (
                SubtreePlan {
                    children: node.children,
                    others: node.others,
                },
                node.next,
            );
            self.free.push(list.0);
            self.drop_plan(plan);
            list = next;
        }
    }

    /// Adds a sequence to a tree, unless the tree already leads to all that starts with it.
    pub(super) fn insert(&mut self, list: &mut List, sequence: &Sequence) {
        let mut live = std::mem::take(&mut self.scratch);
        live.clear();
        live.extend_from_slice(&sequence.all);
        *list = self.insert_steps(*list, sequence, &mut live);
        self.scratch = live;
    }

    /// Adds what is left of the sequence, the steps `live`, to the trees of a list.
    fn insert_steps(&mut self, list: List, sequence: &Sequence, live: &mut Vec<u32>) -> List {
        if live.is_empty() {
            return list;
        }
        let mut at = list;
        while !at.is_empty() {
            let node = self.node(at);
            let Label::Step(step) = &node.label else {
                unreachable!("steps are listed with steps")
            };
            let is_leaf = node.children.is_empty();
            match sequence.position(live, step.thread, &step.op) {
                // What may turn out to be impossible covers nothing else.
                ThreadPosition::Beside if is_leaf && !step.sure => at = node.next,
                ThreadPosition::Later => at = node.next,
                // A leaf is explored freely, so it leads to everything that starts with it.
                _ if is_leaf => return list,
                ThreadPosition::Beside => {
                    self.insert_below(at, sequence, live, StepMatch::Not);
                    return list;
                }
                ThreadPosition::First(i) => {
                    let taken = live.remove(i) as usize;
                    let data = sequence.data_of(taken);
                    let is_last = taken + 1 == sequence.steps.len();
                    let taken = if is_last {
                        StepMatch::Open
                    } else {
                        StepMatch::With(data)
                    };
                    self.insert_below(at, sequence, live, taken);
                    return list;
                }
            }
        }
        let branch = self.chain(sequence, live);
        self.append(list, branch)
    }

    /// Goes on below an inner node: through its alternatives if it has any.
    fn insert_below(
        &mut self,
        at: List,
        sequence: &Sequence,
        live: &mut Vec<u32>,
        taken: StepMatch,
    ) {
        let children = self.node(at).children;
        if matches!(self.node(children).label, Label::Step(_)) {
            let children = self.insert_steps(children, sequence, live);
            self.nodes[at.0 as usize].children = children;
            return;
        }
        match taken {
            StepMatch::With(range) if !range.is_empty() => {
                self.insert_alternative(at, sequence, live, range)
            }
            // All the alternatives listed must lead to the rest of the sequence.
            StepMatch::Not | StepMatch::With(_) => self.insert_everywhere(at, sequence, live),
            StepMatch::Open => {
                self.insert_everywhere(at, sequence, live);
                if self.node(at).others.is_none() {
                    let others = self.chain(sequence, live);
                    self.nodes[at.0 as usize].others = Some(others);
                }
            }
        }
    }

    fn insert_everywhere(&mut self, at: List, sequence: &Sequence, live: &[u32]) {
        let mut child = self.node(at).children;
        while !child.is_empty() {
            if !self.node(child).children.is_empty() {
                self.insert_below(child, sequence, &mut live.to_vec(), StepMatch::Not);
            }
            child = self.node(child).next;
        }
        if let Some(others) = self.node(at).others.filter(|others| !others.is_empty()) {
            let others = self.insert_steps(others, sequence, &mut live.to_vec());
            self.nodes[at.0 as usize].others = Some(others);
        }
    }

    /// Goes on below the alternative that the sequence takes, making it if need be.
    fn insert_alternative(
        &mut self,
        at: List,
        sequence: &Sequence,
        live: &mut Vec<u32>,
        mut range: std::ops::Range<usize>,
    ) {
        let value = sequence.data[range.start];
        let children = self.node(at).children;
        let mut child = children;
        while !child.is_empty() {
            if matches!(self.node(child).label, Label::Data(v) if v == value) {
                if !self.node(child).children.is_empty() {
                    range.start += 1;
                    self.insert_below(child, sequence, live, StepMatch::With(range));
                }
                return;
            }
            child = self.node(child).next;
        }
        let others = self.node(at).others;
        if others.is_some_and(List::is_empty) {
            return;
        }
        let mut rest = self.chain(sequence, live);
        for at in range.rev() {
            rest = self.new_node(Label::Data(sequence.data[at]), rest, None);
        }
        if let Some(others) = others {
            // What was to be done below every other alternative is to be done here too.
            let copy = self.copy(others);
            let below = self.node(rest).children;
            let below = self.append(copy, below);
            self.nodes[rest.0 as usize].children = below;
        }
        self.append(children, rest);
    }

    /// A branch that takes the steps one after the other.
    fn chain(&mut self, sequence: &Sequence, live: &[u32]) -> List {
        let mut list = List::EMPTY;
        for &i in live.iter().rev() {
            let is_last = i as usize + 1 == sequence.steps.len();
            for at in sequence.data_of(i as usize).rev() {
                list = self.new_node(Label::Data(sequence.data[at]), list, None);
            }
            let others = is_last.then_some(List::EMPTY);
            list = self.new_node(Label::Step(sequence.steps[i as usize].0), list, others);
        }
        list
    }

    fn append(&mut self, list: List, branch: List) -> List {
        if list.is_empty() {
            return branch;
        }
        let mut last = list;
        while !self.node(last).next.is_empty() {
            last = self.node(last).next;
        }
        self.nodes[last.0 as usize].next = branch;
        list
    }

    fn new_node(&mut self, label: Label, children: List, others: Option<List>) -> List {
        let node = Node {
            label,
            children,
            next: List::EMPTY,
            others,
        };
        match self.free.pop() {
            Some(id) => {
                self.nodes[id as usize] = node;
                List(id)
            }
            None => {
                self.nodes.push(node);
                List(self.nodes.len() as NodeId - 1)
            }
        }
    }
}
