//! The chart: what both front ends produce and the translation reads.
//!
//! A [`Chart`] holds one [`Machine`] per class of objects and, for networks, the [`Instance`]s of those classes. States of a machine form
//! a tree in a vector; a parallel state's children are its regions. Guards, values and statements stay OOAS text of the user, each with its
//! place ([`ChartText`]), so that a complaint about the translated model can be shown where the user wrote it.

use std::collections::BTreeMap;
use std::ops::Range;

/// Bytes of the chart's source.
pub type ChartSpan = Range<usize>;

/// A piece of the user's text and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartText {
    /// What is written there, with XML escapes resolved.
    pub text: String,
    /// Where it is written.
    pub span: ChartSpan,
}

impl ChartText {
    /// `text` found at `span`.
    pub fn new(text: impl Into<String>, span: ChartSpan) -> Self {
        ChartText {
            text: text.into(),
            span,
        }
    }
}

/// In which notation the chart was drawn; the two differ in what happens when several transitions of one state are enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// The first enabled transition in document order is taken.
    Scxml,
    /// Any enabled transition may be taken.
    Uml,
}

/// A whole file: classes of state machines and, if it describes a network, their instances.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The network's name, or the name of the only machine.
    pub name: String,
    /// Where it came from.
    pub notation: Notation,
    /// OOAS type definitions that the machines share (`name = type; …`).
    pub types: Vec<ChartText>,
    /// One per class.
    pub machines: Vec<Machine>,
    /// How many milliseconds a unit of the model's time has. Front ends give times in milliseconds, and `charts::complete` chooses.
    pub unit: u32,
    /// Objects of a network; empty for a chart that is its own single object.
    pub instances: Vec<Instance>,
}

/// One class of objects that behave as one state machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The class's name.
    pub name: ChartText,
    /// All states; the first is the root, which stands for the machine itself.
    pub states: Vec<ChartState>,
    /// Variables with OOAS types.
    pub data: Vec<Data>,
    /// Typed references to other objects.
    pub references: Vec<Reference>,
    /// Declared inputs; triggers that nothing raises or sends are inputs even if not declared.
    pub inputs: Vec<Signature>,
    /// Declared observations; those without parameters need no declaration.
    pub outputs: Vec<Signature>,
    /// Room for raised events and for events from other objects, each.
    pub queue: u32,
}

/// A state's place in [`Machine::states`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub usize);

impl StateId {
    /// The machine itself.
    pub const ROOT: StateId = StateId(0);
}

/// A state, a region, a final state or a history.
#[derive(Clone, Debug)]
pub struct ChartState {
    /// Its name, unique in its machine.
    pub name: ChartText,
    /// `None` for the root alone.
    pub parent: Option<StateId>,
    /// What sort of state it is.
    pub kind: StateKind,
    /// In document order; history states are among them.
    pub children: Vec<StateId>,
    /// Of a parallel state: whether its regions move in any order. Else they move in document order, as W3C's algorithm says.
    pub any_order: bool,
    /// Where a compound state starts; without one its first child.
    pub initial: Option<ChartStart>,
    /// Done on entering, before the children are entered.
    pub entry: Vec<ChartAction>,
    /// Done on leaving, after the children were left.
    pub exit: Vec<ChartAction>,
    /// Transitions that leave from here, in document order.
    pub transitions: Vec<ChartTransition>,
}

/// The sorts of states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateKind {
    /// No children.
    Atomic,
    /// One child is active.
    Compound,
    /// All children are active: its regions.
    Parallel,
    /// Entering it completes its parent.
    Final,
    /// Stands for the states of its parent that were active last.
    History(Depth),
    /// Left at once by what holds then; such a state is atomic once [`super::pseudostates`] has looked at it.
    Choice,
    /// What holds is looked at before anything moves. None is left after [`super::pseudostates`].
    Junction,
    /// Entered as several states at once. None is left after [`super::pseudostates`].
    Fork,
    /// Passed once all that lead to it are active. None is left after [`super::pseudostates`].
    Join,
}

/// How far down a history remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The parent's own child only.
    Shallow,
    /// All descendants.
    Deep,
}

/// Where a compound state starts, or a history without a past.
#[derive(Clone, Debug)]
pub struct ChartStart {
    /// Where it is written.
    pub span: ChartSpan,
    /// Descendants to enter.
    pub targets: Vec<StateId>,
    /// Done before entering them.
    pub actions: Vec<ChartAction>,
}

/// An arrow of the chart.
#[derive(Clone, Debug)]
pub struct ChartTransition {
    /// Where it is written.
    pub span: ChartSpan,
    /// What sets it off.
    pub trigger: Trigger,
    /// Must hold when the trigger comes.
    pub guard: Option<ChartText>,
    /// Done between leaving and entering.
    pub actions: Vec<ChartAction>,
    /// Empty: nothing is left or entered.
    pub targets: Vec<StateId>,
    /// Whether the source itself is left when the targets lie inside it.
    pub reach: TransitionReach,
}

/// Whether a transition to a descendant leaves its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransitionReach {
    /// The source is left and entered again.
    External,
    /// The source stays active.
    Local,
}

/// What sets a transition off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// Taken as soon as its guard holds.
    Eventless,
    /// An input, or an event raised or sent within the model.
    Event(ChartText),
    /// So many units of time after its source was entered.
    After(u32, ChartSpan),
    /// The given compound or parallel state has come to its end.
    Done(StateId),
}

/// Something done on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChartAction {
    /// Show an observation.
    Observe {
        name: ChartText,
        arguments: Vec<ChartText>,
    },
    /// Put an event into the machine's own queue.
    Raise(ChartText),
    /// Put an event into the machine's own queue for events from outside.
    SendSelf(ChartText),
    /// Put an event into another object's queue.
    Send { event: ChartText, to: ChartText },
    /// Start (or restart) a timer that brings an event to the machine itself.
    Delay {
        event: ChartText,
        id: ChartText,
        time: u32,
    },
    /// Stop such a timer.
    Cancel(ChartText),
    /// Set a variable.
    Assign { place: ChartText, value: ChartText },
    /// The first branch whose condition holds; a branch without one always does.
    If(Vec<(Option<ChartText>, Vec<ChartAction>)>),
    /// An OOAS statement as it stands.
    Statement(ChartText),
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Data {
    /// Its name.
    pub name: ChartText,
    /// Its OOAS type.
    pub kind: ChartText,
    /// Its first value.
    pub value: Option<ChartText>,
}

/// A reference to an object of a class.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Its name.
    pub name: ChartText,
    /// The class of what it refers to.
    pub class: ChartText,
}

/// An input's or observation's name with its parameters.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Its name.
    pub name: ChartText,
    /// Parameter names and their OOAS types.
    pub parameters: Vec<(ChartText, ChartText)>,
}

/// An object of a network.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Its name, which labels its inputs and observations.
    pub name: ChartText,
    /// Its class.
    pub class: ChartText,
    /// (reference, instance it refers to).
    pub bindings: Vec<(ChartText, ChartText)>,
    /// (variable, first value) where it differs from the class's.
    pub values: Vec<(ChartText, ChartText)>,
}

impl Machine {
    /// The state `id` stands for.
    pub fn state(&self, id: StateId) -> &ChartState {
        &self.states[id.0]
    }

    /// All ids, parents before children.
    pub fn ids(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.states.len()).map(StateId)
    }

    /// The state of that name; the machine itself is none.
    pub fn find(&self, name: &str) -> Option<StateId> {
        self.ids()
            .skip(1)
            .find(|&id| self.state(id).name.text == name)
    }

    /// `id` and its ancestors, from the inside out.
    pub fn line(&self, id: StateId) -> impl Iterator<Item = StateId> + '_ {
        std::iter::successors(Some(id), |&id| self.state(id).parent)
    }

    /// Whether `inner` is `outer` or lies inside it.
    pub fn within(&self, inner: StateId, outer: StateId) -> bool {
        self.line(inner).any(|id| id == outer)
    }

    /// The children that can be active: all but histories.
    pub fn active_children(&self, id: StateId) -> impl Iterator<Item = StateId> + '_ {
        self.state(id)
            .children
            .iter()
            .copied()
            .filter(|&child| !matches!(self.state(child).kind, StateKind::History(_)))
    }

    /// The innermost compound state that stays active while the transition is taken; `None` if nothing is left at all.
    pub fn domain(&self, source: StateId, transition: &ChartTransition) -> Option<StateId> {
        if transition.targets.is_empty() {
            return None;
        }
        let holds = |id: StateId| {
            transition
                .targets
                .iter()
                .all(|&target| target != id && self.within(target, id))
        };
        let compound = |id: StateId| self.state(id).kind == StateKind::Compound;
        if transition.reach == TransitionReach::Local && compound(source) && holds(source) {
            return Some(source);
        }
        self.line(source)
            .skip(1)
            .find(|&id| compound(id) && holds(id))
            .or(Some(StateId::ROOT))
    }

    /// Where a compound state starts: its declared start, or its first child.
    pub fn start(&self, id: StateId) -> ChartStart {
        self.state(id)
            .initial
            .clone()
            .unwrap_or_else(|| ChartStart {
                span: self.state(id).name.span.clone(),
                targets: self.active_children(id).take(1).collect(),
                actions: Vec::new(),
            })
    }

    /// Every transition with its source, in document order.
    pub fn transitions(&self) -> impl Iterator<Item = (StateId, &ChartTransition)> {
        self.ids()
            .flat_map(|id| self.state(id).transitions.iter().map(move |t| (id, t)))
    }

    /// Numbers the states in document order, parents first, and drops those that no parent has.
    pub fn renumber(&mut self) {
        let mut order = vec![StateId::ROOT];
        let mut at = 0;
        while at < order.len() {
            let children = &self.states[order[at].0].children;
            order.splice(at + 1..at + 1, children.iter().copied());
            at += 1;
        }
        let places = order.iter().enumerate();
        let new: BTreeMap<StateId, StateId> = places.map(|(at, &old)| (old, StateId(at))).collect();
        let mut states: Vec<ChartState> =
            order.iter().map(|id| self.states[id.0].clone()).collect();
        let renew = |ids: &mut Vec<StateId>| {
            ids.retain_mut(|id| match new.get(id) {
                Some(&place) => {
                    *id = place;
                    true
                }
                None => false,
            });
        };
        for state in &mut states {
            state.parent = state.parent.and_then(|parent| new.get(&parent).copied());
            renew(&mut state.children);
            if let Some(start) = &mut state.initial {
                renew(&mut start.targets);
            }
            for transition in &mut state.transitions {
                renew(&mut transition.targets);
                if let Trigger::Done(id) = &mut transition.trigger {
                    *id = new.get(id).copied().unwrap_or(StateId::ROOT);
                }
            }
        }
        self.states = states;
    }

    /// The parallel state that has both in different regions.
    pub fn parallel_of(&self, one: StateId, other: StateId) -> Option<StateId> {
        let shared = self.line(one).find(|&id| self.within(other, id))?;
        let apart = shared != one && shared != other;
        (apart && self.state(shared).kind == StateKind::Parallel).then_some(shared)
    }

    /// Shows every action anywhere in the machine, to change it.
    pub fn each_action(&mut self, see: &mut dyn FnMut(&mut ChartAction)) {
        for state in &mut self.states {
            visit(&mut state.entry, see);
            visit(&mut state.exit, see);
            if let Some(start) = &mut state.initial {
                visit(&mut start.actions, see);
            }
            for transition in &mut state.transitions {
                visit(&mut transition.actions, see);
            }
        }
    }

    /// Shows every time, to change it.
    pub fn each_time(&mut self, see: &mut dyn FnMut(&mut u32)) {
        for state in &mut self.states {
            for transition in &mut state.transitions {
                if let Trigger::After(time, _) = &mut transition.trigger {
                    see(time);
                }
            }
        }
        self.each_action(&mut |action| {
            if let ChartAction::Delay { time, .. } = action {
                see(time);
            }
        });
    }

    /// Shows every guard, condition and value, to change it.
    pub fn expressions(&mut self, see: &mut dyn FnMut(&mut ChartText)) {
        for state in &mut self.states {
            let guards = state.transitions.iter_mut().map(|t| &mut t.guard);
            guards.flatten().for_each(&mut *see);
        }
        self.each_action(&mut |action| match action {
            ChartAction::Assign { value, .. } => see(value),
            ChartAction::Observe { arguments, .. } => arguments.iter_mut().for_each(&mut *see),
            ChartAction::If(branches) => {
                let conditions = branches.iter_mut().map(|(condition, _)| condition);
                conditions.flatten().for_each(&mut *see);
            }
            _ => {}
        });
    }

    /// Every action anywhere in the machine, those inside an `if` too.
    pub fn actions(&self) -> Vec<&ChartAction> {
        let mut found = Vec::new();
        for state in &self.states {
            flatten(&state.entry, &mut found);
            flatten(&state.exit, &mut found);
            if let Some(start) = &state.initial {
                flatten(&start.actions, &mut found);
            }
            for transition in &state.transitions {
                flatten(&transition.actions, &mut found);
            }
        }
        found
    }
}

fn flatten<'a>(actions: &'a [ChartAction], found: &mut Vec<&'a ChartAction>) {
    for action in actions {
        found.push(action);
        if let ChartAction::If(branches) = action {
            for (_, inner) in branches {
                flatten(inner, found);
            }
        }
    }
}

fn visit(actions: &mut [ChartAction], see: &mut dyn FnMut(&mut ChartAction)) {
    for action in actions {
        see(action);
        if let ChartAction::If(branches) = action {
            for (_, inner) in branches {
                visit(inner, see);
            }
        }
    }
}
