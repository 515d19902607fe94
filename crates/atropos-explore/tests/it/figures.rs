//! The numbers of the MuTMuT paper's running example: Figures 1 to 3 (the account and its mutants),
//! Figure 2 (the state space) and Figure 5 (what each technique explores).

use std::hash::{Hash, Hasher};

use atropos_explore::{
    End, Fingerprint, Guide, Matching, Method, Model, Order, Original, Settings, Size, Technique, Until, Verdict, Walk,
};

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

impl Model for Account {
    type State = State;

    fn initial(&self) -> State {
        State { balance: 50, done: [false; 3] }
    }

    fn actions(&self, state: &State, actions: &mut Vec<u32>) {
        actions.extend((0..3).filter(|&thread| !state.done[thread as usize]));
    }

    fn step(&self, state: &State, thread: u32, guide: &mut dyn Guide) -> State {
        let mut next = *state;
        next.done[thread as usize] = true;
        if thread == WITHDRAW_80 {
            if state.balance >= 80 {
                guide.reach(1);
                next.balance -= if self.active == 1 { 0 } else { 80 };
            }
        } else {
            let amount = if thread == DEPOSIT_90 { 90 } else { 20 };
            guide.reach(2);
            next.balance += if self.active == 2 { -amount } else { amount };
        }
        next
    }

    fn fingerprint(&self, state: &State) -> u64 {
        let mut hasher = Fingerprint::default();
        state.hash(&mut hasher);
        hasher.finish()
    }

    fn judge(&self, state: &State) -> Option<End> {
        let balance = state.balance as u64;
        match state.done {
            [true, true, true] if [80, 160].contains(&state.balance) => Some(End::Passed(balance)),
            [true, true, true] => Some(End::Failed(balance)),
            _ => None,
        }
    }

    fn activate(&mut self, mutant: u32) {
        self.active = mutant;
    }
}

fn method(order: Order) -> Method {
    Method::Search(Settings { order, matching: Matching::Fingerprint, bound: None })
}

fn size(states: u64, transitions: u64) -> Size {
    Size { states, transitions }
}

fn explored(technique: Technique) -> Size {
    let mut system = Walk::new(Account::default());
    let original = Original::explore(&mut system, method(Order::DepthFirst));
    let run = original.explore_mutant(&mut system, 1, technique, Until::Done);
    assert_eq!(run.verdict, Verdict::Survived, "160 is a correct balance too");
    assert_eq!(run.divergence, None);
    run.size
}

#[test]
fn figure_2_has_10_states_and_13_transitions() {
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        let mut system = Walk::new(Account::default());
        let original = Original::explore(&mut system, method(order));
        assert_eq!(original.size, size(10, 13));
        assert_eq!(original.finding, None);
        assert_eq!(original.reached().iter().copied().collect::<Vec<_>>(), [1, 2], "mutant 3 is not reached");
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
fn figure_5c_all_states_leaves_5_states_and_9_transitions_of_figure_2_unexplored() {
    assert_eq!(explored(Technique::AllStates), size(10 - 5, 13 - 9));
}

#[test]
fn every_technique_kills_mutant_2_and_not_mutant_3() {
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        for technique in Technique::ALL {
            let mut system = Walk::new(Account::default());
            let original = Original::explore(&mut system, method(order));
            let run = original.explore_mutant(&mut system, 2, technique, Until::FirstFailure);
            assert!(matches!(run.verdict, Verdict::Killed(_)), "{technique:?}");
            let run = original.explore_mutant(&mut system, 3, technique, Until::FirstFailure);
            assert_eq!(run.verdict, Verdict::Unreached, "{technique:?}");
        }
    }
}
