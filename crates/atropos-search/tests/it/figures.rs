//! The numbers of the MuTMuT paper's running example: Figures 1 to 3 (the account and its mutants),
//! Figure 2 (the state space) and Figure 5 (what each technique explores).

use std::hash::{Hash, Hasher};

use atropos_search::{
    ExecutionEnd, Fingerprint, Guide, MutantRun, Original, SearchMethod, SearchOrder, SearchResult,
    SearchSettings, SearchSize, StateMatching, StopCondition, Technique, TransitionSystem, Walk,
};
use atropos_values::MutantId;

/// `test1`: an account of 50; one thread withdraws 80, one deposits 90, one deposits 20; in the end
/// the balance must be 80 or 160. Methods are atomic.
#[derive(Clone, Default)]
struct Account {
    active: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct State {
    balance: i32,
    done: [bool; 3],
}

const WITHDRAW_80: u32 = 0;
const DEPOSIT_90: u32 = 1;

impl TransitionSystem for Account {
    type State = State;

    fn initial(&self) -> State {
        State {
            balance: 50,
            done: [false; 3],
        }
    }

    fn actions(&self, state: &State, actions: &mut Vec<u32>) {
        actions.extend((0..3).filter(|&thread| !state.done[thread as usize]));
    }

    fn step(&self, state: &State, thread: u32, guide: &mut dyn Guide) -> State {
        let mut next = *state;
        next.done[thread as usize] = true;
        if thread == WITHDRAW_80 {
            if state.balance >= 80 {
                guide.reach(MutantId(1));
                next.balance -= if self.active == 1 { 0 } else { 80 };
            }
        } else {
            let amount = if thread == DEPOSIT_90 { 90 } else { 20 };
            guide.reach(MutantId(2));
            next.balance += if self.active == 2 { -amount } else { amount };
        }
        next
    }

    fn fingerprint(&self, state: &State) -> u64 {
        let mut hasher = Fingerprint::default();
        state.hash(&mut hasher);
        hasher.finish()
    }

    fn judge(&self, state: &State) -> Option<ExecutionEnd> {
        let balance = state.balance as u64;
        match state.done {
            [true, true, true] if [80, 160].contains(&state.balance) => {
                Some(ExecutionEnd::Passed(balance))
            }
            [true, true, true] => Some(ExecutionEnd::Failed(balance)),
            _ => None,
        }
    }

    fn activate(&mut self, mutant: MutantId) {
        self.active = mutant.0;
    }
}

fn method(order: SearchOrder) -> SearchMethod {
    SearchMethod::Search(SearchSettings {
        order,
        matching: StateMatching::Fingerprint,
        bound: None,
    })
}

fn size(states: u64, transitions: u64) -> SearchSize {
    SearchSize {
        states,
        transitions,
    }
}

fn explored(technique: Technique) -> SearchSize {
    run_of_mutant_1(technique).size
}

fn run_of_mutant_1(technique: Technique) -> MutantRun {
    let mut system = Walk::new(Account::default());
    let original = Original::explore(&mut system, method(SearchOrder::DepthFirst));
    let run = original.explore_mutant(&mut system, MutantId(1), technique, StopCondition::Done);
    assert_eq!(
        run.result,
        SearchResult::Survived,
        "160 is a correct balance too"
    );
    assert_eq!(run.divergence, None);
    run
}

#[test]
fn figure_2_has_10_states_and_13_transitions() {
    for order in [SearchOrder::DepthFirst, SearchOrder::BreadthFirst] {
        let mut system = Walk::new(Account::default());
        let original = Original::explore(&mut system, method(order));
        assert_eq!(original.size, size(10, 13));
        assert_eq!(original.finding, None);
        assert_eq!(
            original.reached().iter().copied().collect::<Vec<_>>(),
            [1, 2].map(MutantId),
            "mutant 3 is not reached"
        );
    }
}

/// The mutant leaves out states S7 and S8 of Figure 2, which only the original comes to (the dashed
/// edges lead elsewhere), and the transition between them.
#[test]
fn the_whole_space_of_mutant_1_lacks_two_states_of_figure_2() {
    assert_eq!(explored(Technique::Naive), size(10 - 2, 13 - 1));
    assert_eq!(explored(Technique::Basic), size(10 - 2, 13 - 1));
}

#[test]
fn figure_5a_one_state_saves_1_state_and_3_transitions() {
    let basic = explored(Technique::Basic);
    let one_state = explored(Technique::OneState);
    assert_eq!(one_state, size(basic.states - 1, basic.transitions - 3));
}

#[test]
fn figure_5b_state_set_leaves_5_states_and_8_transitions_of_figure_2_unexplored() {
    assert_eq!(explored(Technique::StateSet), size(10 - 5, 13 - 8));
}

#[test]
fn of_figure_5b_only_the_way_to_the_first_start_is_not_explored() {
    assert_eq!(run_of_mutant_1(Technique::StateSet).ways, 1);
    assert_eq!(run_of_mutant_1(Technique::Basic).ways, 0);
}

#[test]
fn figure_5c_all_states_leaves_5_states_and_9_transitions_of_figure_2_unexplored() {
    assert_eq!(explored(Technique::AllStates), size(10 - 5, 13 - 9));
}

#[test]
fn every_technique_kills_mutant_2_and_not_mutant_3() {
    for order in [SearchOrder::DepthFirst, SearchOrder::BreadthFirst] {
        for technique in Technique::ALL {
            let mut system = Walk::new(Account::default());
            let original = Original::explore(&mut system, method(order));
            let run = original.explore_mutant(
                &mut system,
                MutantId(2),
                technique,
                StopCondition::FirstFailure,
            );
            assert!(
                matches!(run.result, SearchResult::Killed(_)),
                "{technique:?}"
            );
            let run = original.explore_mutant(
                &mut system,
                MutantId(3),
                technique,
                StopCondition::FirstFailure,
            );
            assert_eq!(run.result, SearchResult::Unreached, "{technique:?}");
        }
    }
}

/// 0 is the initial state. 1 leads over the mutant's point to 3 and on to 4; 2 leads to 4 as well,
/// without it; from 4 another execution of the point leads to the end. The mutant goes from 1 to a
/// harmless end and from 4 to failure.
struct Detour {
    active: u32,
}

impl TransitionSystem for Detour {
    type State = u64;

    fn initial(&self) -> u64 {
        0
    }

    fn actions(&self, state: &u64, actions: &mut Vec<u32>) {
        actions.extend(match state {
            0 => 0..2,
            1..=4 => 0..1,
            _ => 0..0,
        });
    }

    fn step(&self, state: &u64, action: u32, guide: &mut dyn Guide) -> u64 {
        if [1, 4].contains(state) {
            guide.reach(MutantId(1));
        }
        match (state, self.active) {
            (0, _) => 1 + u64::from(action),
            (1, 1) => 6,
            (4, 1) => 7,
            (1, _) => 3,
            (4, _) => 5,
            _ => 4,
        }
    }

    fn fingerprint(&self, state: &u64) -> u64 {
        *state
    }

    fn judge(&self, state: &u64) -> Option<ExecutionEnd> {
        match state {
            5 | 6 => Some(ExecutionEnd::Passed(*state)),
            7 => Some(ExecutionEnd::Failed(7)),
            _ => None,
        }
    }

    fn activate(&mut self, mutant: MutantId) {
        self.active = mutant.0;
    }
}

#[test]
fn state_set_finds_a_kill_that_the_paths_of_the_search_tree_alone_would_hide() {
    for order in [SearchOrder::DepthFirst, SearchOrder::BreadthFirst] {
        for technique in Technique::ALL {
            let mut system = Walk::new(Detour { active: 0 });
            let original = Original::explore(&mut system, method(order));
            assert_eq!(original.finding, None);
            let run =
                original.explore_mutant(&mut system, MutantId(1), technique, StopCondition::Done);
            assert!(
                matches!(run.result, SearchResult::Killed(_)),
                "{technique:?}"
            );
        }
    }
}
