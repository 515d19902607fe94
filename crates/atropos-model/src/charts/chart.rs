//! The chart: what both front ends produce and the translation reads.
//!
//! A [`Chart`] holds one [`Machine`] per class of objects and, for networks, the [`Instance`]s of those classes. States of a machine form
//! a tree in a vector; a parallel state's children are its regions. Guards, values and statements stay OOAS text of the user, each with its
//! place ([`Text`]), so that a complaint about the translated model can be shown where the user wrote it.

use std::ops::Range;

/// Bytes of the chart's source.
pub type Span = Range<usize>;

/// A piece of the user's text and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// What is written there, with XML escapes resolved.
    pub text: String,
    /// Where it is written.
    pub span: Span,
}

impl Text {
    /// `text` found at `span`.
    pub fn new(text: impl Into<String>, span: Span) -> Self {
        Text {
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
    /// Any enabled transition may be taken, as in UML.
    PlantUml,
}

/// A whole file: classes of state machines and, if it describes a network, their instances.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The network's name, or the name of the only machine.
    pub name: String,
    /// Where it came from.
    pub notation: Notation,
    /// OOAS type definitions that the machines share (`name = type; …`).
    pub types: Vec<Text>,
    /// One per class.
    pub machines: Vec<Machine>,
    /// Objects of a network; empty for a chart that is its own single object.
    pub instances: Vec<Instance>,
}

/// One class of objects that behave as one state machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The class's name.
    pub name: Text,
    /// All states; the first is the root, which stands for the machine itself.
    pub states: Vec<State>,
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
pub struct State {
    /// Its name, unique in its machine.
    pub name: Text,
    /// `None` for the root alone.
    pub parent: Option<StateId>,
    /// What sort of state it is.
    pub kind: StateKind,
    /// In document order; history states are among them.
    pub children: Vec<StateId>,
    /// Of a parallel state: whether its regions move in any order. Else they move in document order, as W3C's algorithm says.
    pub any_order: bool,
    /// Where a compound state starts; without one its first child.
    pub initial: Option<Start>,
    /// Done on entering, before the children are entered.
    pub entry: Vec<Action>,
    /// Done on leaving, after the children were left.
    pub exit: Vec<Action>,
    /// Transitions that leave from here, in document order.
    pub transitions: Vec<Transition>,
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
pub struct Start {
    /// Descendants to enter.
    pub targets: Vec<StateId>,
    /// Done before entering them.
    pub actions: Vec<Action>,
}

/// An arrow of the chart.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Where it is written.
    pub span: Span,
    /// What sets it off.
    pub trigger: Trigger,
    /// Must hold when the trigger comes.
    pub guard: Option<Text>,
    /// Done between leaving and entering.
    pub actions: Vec<Action>,
    /// Empty: nothing is left or entered.
    pub targets: Vec<StateId>,
    /// Whether the source itself is left when the targets lie inside it.
    pub reach: Reach,
}

/// Whether a transition to a descendant leaves its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
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
    Event(Text),
    /// So much time after its source was entered.
    After(u32, Span),
    /// The given compound or parallel state has come to its end.
    Done(StateId),
}

/// Something done on the way.
#[derive(Clone, Debug)]
pub enum Action {
    /// Show an observation.
    Observe { name: Text, arguments: Vec<Text> },
    /// Put an event into the machine's own queue.
    Raise(Text),
    /// Put an event into another object's queue.
    Send { event: Text, to: Text },
    /// Start (or restart) a timer that brings an event to the machine itself.
    Delay { event: Text, id: Text, time: u32 },
    /// Stop such a timer.
    Cancel(Text),
    /// Set a variable.
    Assign { place: Text, value: Text },
    /// The first branch whose condition holds; a branch without one always does.
    If(Vec<(Option<Text>, Vec<Action>)>),
    /// An OOAS statement as it stands.
    Statement(Text),
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Data {
    /// Its name.
    pub name: Text,
    /// Its OOAS type.
    pub kind: Text,
    /// Its first value.
    pub value: Option<Text>,
}

/// A reference to an object of a class.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Its name.
    pub name: Text,
    /// The class of what it refers to.
    pub class: Text,
}

/// An input's or observation's name with its parameters.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Its name.
    pub name: Text,
    /// Parameter names and their OOAS types.
    pub parameters: Vec<(Text, Text)>,
}

/// An object of a network.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Its name, which labels its inputs and observations.
    pub name: Text,
    /// Its class.
    pub class: Text,
    /// (reference, instance it refers to).
    pub bindings: Vec<(Text, Text)>,
    /// (variable, first value) where it differs from the class's.
    pub values: Vec<(Text, Text)>,
}

impl Machine {
    /// The state `id` stands for.
    pub fn state(&self, id: StateId) -> &State {
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
    pub fn domain(&self, source: StateId, transition: &Transition) -> Option<StateId> {
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
        if transition.reach == Reach::Local && compound(source) && holds(source) {
            return Some(source);
        }
        self.line(source)
            .skip(1)
            .find(|&id| compound(id) && holds(id))
            .or(Some(StateId::ROOT))
    }

    /// Where a compound state starts: its declared start, or its first child.
    pub fn start(&self, id: StateId) -> Start {
        self.state(id).initial.clone().unwrap_or_else(|| Start {
            targets: self.active_children(id).take(1).collect(),
            actions: Vec::new(),
        })
    }

    /// Every transition with its source, in document order.
    pub fn transitions(&self) -> impl Iterator<Item = (StateId, &Transition)> {
        self.ids()
            .flat_map(|id| self.state(id).transitions.iter().map(move |t| (id, t)))
    }

    /// Every action anywhere in the machine, those inside an `if` too.
    pub fn actions(&self) -> Vec<&Action> {
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

fn flatten<'a>(actions: &'a [Action], found: &mut Vec<&'a Action>) {
    for action in actions {
        found.push(action);
        if let Action::If(branches) = action {
            for (_, inner) in branches {
                flatten(inner, found);
            }
        }
    }
}
