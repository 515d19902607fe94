//! Models with explicit states under the same strategies as threads: an action is chosen where a
//! program would choose a thread.

use atropos_values::MutantId;

use crate::choice::Thread;
use crate::op::Op;
use crate::system::{
    ExecutionEnd, ExecutionPhase, Guide, Mutable, Pending, SchedulingPoint, System,
};

/// Something with states and actions.
pub trait TransitionSystem {
    type State: Clone;

    fn initial(&self) -> Self::State;

    /// The actions that are possible in a state, in ascending order. None: the run ends there.
    fn actions(&self, state: &Self::State, actions: &mut Vec<u32>);

    /// The state after an action. Only [`Guide::data`], [`Guide::observe`] and [`Guide::reach`] may be
    /// called.
    fn step(&self, state: &Self::State, action: u32, guide: &mut dyn Guide) -> Self::State;

    /// A hash of all that the future depends on.
    fn fingerprint(&self, state: &Self::State) -> u64;

    /// How a run ends that has come to this state: `None` if it may go on. Called for every state;
    /// where there is no action, `None` stands for a deadlock.
    fn judge(&self, state: &Self::State) -> Option<ExecutionEnd>;

    /// From now on this mutant acts; 0 is the original.
    fn activate(&mut self, mutant: MutantId) {
        let _ = mutant;
    }
}

/// Walks through a model as a guide says. A walk that begins like the one before does not compute
/// the states at the beginning again.
#[derive(Clone, Debug)]
pub struct Walk<M: TransitionSystem> {
    model: M,
    /// The last walk: each action with the state after it. Only steps that asked and told nothing.
    trail: Vec<(u32, M::State)>,
    actions: Vec<u32>,
    pending: Vec<Pending>,
}

impl<M: TransitionSystem> Walk<M> {
    pub fn new(model: M) -> Walk<M> {
        Walk {
            model,
            trail: Vec::new(),
            actions: Vec::new(),
            pending: Vec::new(),
        }
    }

    pub fn model(&self) -> &M {
        &self.model
    }

    fn list_actions(&mut self, state: &M::State) {
        self.actions.clear();
        self.model.actions(state, &mut self.actions);
        self.pending.clear();
        let entry = |&action: &u32| Pending {
            thread: Thread(action),
            op: Op::universal(),
            ready: true,
        };
        self.pending.extend(self.actions.iter().map(entry));
    }
}

/// Passes on what a step says and remembers that it said something.
struct Listener<'a> {
    guide: &'a mut dyn Guide,
    has_answered: bool,
}

impl Guide for Listener<'_> {
    fn choose(&mut self, _: &SchedulingPoint<'_>) -> Option<Thread> {
        unreachable!("a step of a model chooses no action")
    }

    fn data(&mut self, options: u32) -> u32 {
        self.has_answered = true;
        self.guide.data(options)
    }

    fn observe(&mut self, value: u64) {
        self.has_answered = true;
        self.guide.observe(value);
    }

    fn reach(&mut self, mutant: MutantId) {
        self.has_answered = true;
        self.guide.reach(mutant);
    }
}

impl<M: TransitionSystem> System for Walk<M> {
    fn run(&mut self, guide: &mut dyn Guide) -> ExecutionEnd {
        let wants_fingerprint = guide.wants_fingerprint();
        let mut state = self.model.initial();
        let mut kept = 0;
        loop {
            let fingerprint = wants_fingerprint.then(|| self.model.fingerprint(&state));
            self.list_actions(&state);
            let end = match self.model.judge(&state) {
                None if self.actions.is_empty() => {
                    Some(ExecutionEnd::Deadlock(self.model.fingerprint(&state)))
                }
                end => end,
            };
            let phase = match end {
                None => ExecutionPhase::Running,
                Some(_) if self.actions.is_empty() => ExecutionPhase::Finished,
                Some(_) => ExecutionPhase::CutShort,
            };
            let chosen = guide.choose(&SchedulingPoint {
                threads: &self.pending,
                fingerprint,
                phase,
            });
            if let Some(end) = end {
                return end;
            }
            let Some(Thread(action)) = chosen else {
                return ExecutionEnd::Stopped;
            };
            if let Some((known, after)) = self.trail.get(kept)
                && *known == action
            {
                state = after.clone();
                kept += 1;
                continue;
            }
            self.trail.truncate(kept);
            let mut listener = Listener {
                guide,
                has_answered: false,
            };
            state = self.model.step(&state, action, &mut listener);
            if listener.has_answered {
                // What follows may depend on answers, so it is computed anew in every walk.
                kept = usize::MAX;
            } else if kept != usize::MAX {
                self.trail.push((action, state.clone()));
                kept += 1;
            }
        }
    }
}

impl<M: TransitionSystem> Mutable for Walk<M> {
    fn activate(&mut self, mutant: MutantId) {
        self.trail.clear();
        self.model.activate(mutant);
    }
}
