//! Full against reduced exploration: the suspension automata must be the same, for the original and for mutants.

use crate::execution::Interpreted;
use crate::generation::Move;
use crate::model::{Model, Observation};
use crate::mutation::MutantSet;
use crate::state_space::{
    Acting, ExpansionCache, Reducer, StateExplorer, StateSpaceLimits, SuspensionNode,
};
use crate::tests::random_models::generated;
use crate::tests::support::{example, load};
use std::collections::HashSet;
use std::sync::Arc;

pub fn explorer(model: &Arc<Model>, reducer: Option<Arc<Reducer>>) -> StateExplorer {
    let engine = Box::new(Interpreted {
        model: model.clone(),
    });
    StateExplorer::new(
        model.clone(),
        engine,
        Arc::new(ExpansionCache::new(64 << 20)),
        reducer,
    )
}

pub const LIMITS: StateSpaceLimits = StateSpaceLimits { closure: 3_000 };

/// Compares what the two explorations can show after every trace, up to `pairs` pairs of suspension states. Gives the
/// number of pairs, or nothing if the model fails or diverges.
fn automata_agree(
    full: &mut StateExplorer,
    reduced: &mut StateExplorer,
    acting: &Acting,
    pairs: usize,
) -> Option<usize> {
    let start = vec![SuspensionNode::at(full.model.initial.clone())];
    let mut seen: HashSet<(Vec<SuspensionNode>, Vec<SuspensionNode>)> =
        HashSet::from([(start.clone(), start.clone())]);
    let mut open = vec![(start.clone(), start)];
    while let Some((left, right)) = open.pop() {
        let one = full.close(acting, &left, LIMITS, &mut MutantSet::default());
        let other = reduced.close(acting, &right, LIMITS, &mut MutantSet::default());
        let (one, other) = match (one, other) {
            (Ok(one), Ok(other)) => (one, other),
            // An error may hide behind another order of internal steps.
            (Err(_), _) => return None,
            (Ok(_), Err(stop)) => panic!(
                "only the reduced exploration stops: {stop:?}\n{}",
                full.model.text
            ),
        };
        assert_eq!(
            one.observations(),
            other.observations(),
            "{}",
            full.model.text
        );
        let inputs = match (full.inputs(acting, &one), reduced.inputs(acting, &other)) {
            (Ok(one), Ok(other)) => {
                assert!(one.keys().eq(other.keys()), "{}", full.model.text);
                one
            }
            (Err(_), _) => return None,
            (Ok(_), Err(stop)) => panic!(
                "only the reduced exploration stops: {stop:?}\n{}",
                full.model.text
            ),
        };
        let observed = one
            .observations()
            .into_iter()
            .filter(|o| *o != Observation::Delta)
            .map(Move::Observe);
        for step in inputs.into_keys().map(Move::Input).chain(observed) {
            let next = (
                step.of_original(full, acting, &one).expect("no error"),
                step.of_original(reduced, acting, &other).expect("no error"),
            );
            if seen.len() < pairs && seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    Some(seen.len())
}

#[test]
fn reduced_exploration_shows_the_same_on_generated_models() {
    let mut compared = 0;
    for seed in 100..130 {
        let model = load(&generated(seed));
        let reducer = Arc::new(Reducer::new(&model));
        let (mut full, mut reduced) = (explorer(&model, None), explorer(&model, Some(reducer)));
        let original = Acting::original(&model.mutants);
        compared += usize::from(automata_agree(&mut full, &mut reduced, &original, 12).is_some());
        for mutant in model
            .mutants
            .list
            .iter()
            .skip(seed as usize % 5)
            .step_by(17)
        {
            let acting = Acting::mutant(&model.mutants, mutant.id);
            automata_agree(&mut full, &mut reduced, &acting, 5);
        }
    }
    assert!(compared >= 10, "only {compared} models could be compared");
}

#[test]
fn reduced_exploration_shows_the_same_on_the_car_alarm() {
    let model = load(&example("car_alarm.ooas"));
    let reducer = Arc::new(Reducer::new(&model));
    let (mut full, mut reduced) = (explorer(&model, None), explorer(&model, Some(reducer)));
    let original = Acting::original(&model.mutants);
    assert!(
        automata_agree(&mut full, &mut reduced, &original, 500).is_some_and(|pairs| pairs > 10)
    );
}

/// `workers` objects that count internally, and a judge that waits for all of them.
fn counters(workers: usize) -> String {
    let attributes: String = (0..workers)
        .map(|at| format!("w{at}: Worker = new(Worker); "))
        .collect();
    let all: Vec<String> = (0..workers).map(|at| format!("w{at}.finished()")).collect();
    format!(
        "types Worker = system |[ var n: int[0..3] methods finished: bool = result := n = 3 end
           do requires n < 3: n := n + 1 end od ]|;
         Judge = autocons system |[ var told: bool; {attributes}
           actions obs done = requires not told and {}: told := true end
           do done() od ]|
         system Judge [] Worker",
        all.join(" and ")
    )
}

#[test]
fn independent_internal_steps_are_taken_in_one_order_only() {
    let model = load(&counters(3));
    let reducer = Arc::new(Reducer::new(&model));
    let (mut full, mut reduced) = (explorer(&model, None), explorer(&model, Some(reducer)));
    let original = Acting::original(&model.mutants);
    assert!(automata_agree(&mut full, &mut reduced, &original, 10).is_some());
    // 4 * 4 * 4 states against one path through them.
    assert!(
        full.expanded > 64 * 4 && reduced.expanded < 64,
        "{} and {}",
        full.expanded,
        reduced.expanded
    );
}

#[test]
fn mutants_of_many_objects_show_the_same_with_and_without_reduction() {
    let model = load(&counters(3));
    let reducer = Arc::new(Reducer::new(&model));
    let (mut full, mut reduced) = (explorer(&model, None), explorer(&model, Some(reducer)));
    for mutant in &model.mutants.list {
        let acting = Acting::mutant(&model.mutants, mutant.id);
        automata_agree(&mut full, &mut reduced, &acting, 10);
    }
}

#[test]
fn objects_that_are_marked_as_idle_are_idle() {
    let model = load(&crate::synthetic::station(60, 1));
    let reducer = Arc::new(Reducer::new(&model));
    let mut marked = explorer(&model, Some(reducer.clone()));
    let mut slow = explorer(&model, Some(reducer)).without_marks();
    let start = [SuspensionNode::at(model.initial.clone())];
    let limits = StateSpaceLimits { closure: 200 };
    let original = Acting::original(&model.mutants);
    let mut met = MutantSet::for_all(&model.mutants);
    let begin = marked.close(&original, &start, limits, &mut met);
    let begin = begin.expect("the station comes up");
    for mutant in met.iter().step_by(3) {
        let acting = Acting::mutant(&model.mutants, mutant);
        let mut nothing = MutantSet::default();
        for kernel in [
            start.to_vec(),
            begin.nodes.iter().map(|node| node.node.clone()).collect(),
        ] {
            let one = marked.close(&acting, &kernel, limits, &mut nothing);
            let other = slow.close(&acting, &kernel, limits, &mut nothing);
            assert_eq!(one, other, "{mutant:?}");
            assert_eq!(marked.closed, slow.closed, "{mutant:?}");
        }
    }
    assert!(met.len() > 10);
}

#[test]
fn many_independent_objects_are_no_explosion() {
    let model = load(&counters(40));
    let reducer = Arc::new(Reducer::new(&model));
    let mut reduced = explorer(&model, Some(reducer));
    let original = Acting::original(&model.mutants);
    let start = [SuspensionNode::at(model.initial.clone())];
    let end = reduced
        .close(&original, &start, LIMITS, &mut MutantSet::default())
        .expect("a rest state");
    assert_eq!(end.nodes.len(), 1);
}
