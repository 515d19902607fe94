//! Mutants explored to the end, on the framework of threads: whatever a technique reuses, the same mutants are killed,
//! and each explores no more than the one before. What tests kill, no exploration takes for conforming.

use crate::conformance::{Conforms, ExploredModel, Obstacle};
use crate::generation::{GenerationOptions, Status, StrategyKind, generate};
use crate::model::Model;
use crate::mutation::ModelMutantId;
use crate::state_space::{Reducer, StateSpaceLimits, Stop};
use crate::tests::random_models::generated;
use crate::tests::reduction::explorer;
use crate::tests::support::{class, example, load};
use atropos_search::{SearchOrder, StopCondition, Technique};
use std::sync::Arc;

const LIMITS: StateSpaceLimits = StateSpaceLimits { closure: 200 };

fn explored(
    model: &Arc<Model>,
    order: SearchOrder,
    most: usize,
) -> Result<ExploredModel, Obstacle> {
    let reducer = Arc::new(Reducer::new(model));
    ExploredModel::new(explorer(model, Some(reducer)), order, LIMITS, most)
}

/// Explores every so many mutants by every technique; gives what became of them, and the states of each technique.
fn techniques_agree(
    explored: &mut ExploredModel,
    every: usize,
) -> (Vec<(ModelMutantId, Conforms)>, Vec<u64>) {
    let model = explored.model();
    let open: Vec<ModelMutantId> = model.mutants.open().map(|m| m.id).step_by(every).collect();
    let mut verdicts = Vec::new();
    let mut states = vec![0; Technique::ALL.len()];
    for mutant in open {
        let runs =
            Technique::ALL.map(|technique| explored.mutant(mutant, technique, StopCondition::Done));
        if runs.iter().any(|run| run.was_cut) {
            continue;
        }
        for (at, pair) in runs.windows(2).enumerate() {
            let (technique, text) = (Technique::ALL[at + 1], &model.text);
            assert_eq!(
                pair[0].conforms, pair[1].conforms,
                "{mutant:?} by {technique:?}\n{text}"
            );
            let (more, less) = (pair[0].size, pair[1].size);
            assert!(
                less.states <= more.states && less.transitions <= more.transitions,
                "{mutant:?}: {technique:?} {less:?} above {more:?}\n{text}"
            );
        }
        for (sum, run) in states.iter_mut().zip(&runs) {
            *sum += run.size.states;
        }
        verdicts.push((mutant, runs[0].conforms));
    }
    (verdicts, states)
}

fn count(verdicts: &[(ModelMutantId, Conforms)], of: Conforms) -> usize {
    verdicts
        .iter()
        .filter(|(_, conforms)| *conforms == of)
        .count()
}

#[test]
fn every_technique_kills_the_same_mutants_of_the_car_alarm_and_explores_no_more_than_the_one_before()
 {
    let model = load(&example("car_alarm.ooas"));
    for order in [SearchOrder::DepthFirst, SearchOrder::BreadthFirst] {
        let mut explored = explored(&model, order, 1_000).expect("a small model");
        let (verdicts, states) = techniques_agree(&mut explored, 1);
        assert_eq!(
            count(&verdicts, Conforms::No),
            verdicts.len(),
            "all can be killed"
        );
        assert!(states[4] < states[0], "{states:?}");
    }
}

#[test]
fn techniques_agree_on_generated_models() {
    let (mut compared, mut killed, mut conforming) = (0, 0, 0);
    for seed in 300..315 {
        let model = load(&generated(seed));
        let order = match seed % 2 {
            0 => SearchOrder::DepthFirst,
            _ => SearchOrder::BreadthFirst,
        };
        let Ok(mut explored) = explored(&model, order, 25) else {
            continue;
        };
        let (verdicts, _) = techniques_agree(&mut explored, 8);
        compared += 1;
        killed += count(&verdicts, Conforms::No);
        conforming += count(&verdicts, Conforms::Always);
    }
    println!("{compared} models, {killed} killed, {conforming} conforming");
    assert!(
        compared >= 5 && killed > 10 && conforming > 5,
        "{compared} {killed} {conforming}"
    );
}

#[test]
fn what_a_test_kills_does_not_conform_and_what_conforms_no_test_kills() {
    let model = load(&class(
        "T = int[0..3];",
        "var n: T; up: bool = true
         actions ctr press = requires n < 3: n := n + 1 end;
           obs shown(v: T) = requires v = n and n = 2: n := 3; up := not up end;
           ctr clear = requires n = 3 and n >= 3: n := 0 end
         do press() [] clear() [] var v: T: shown(v) od",
    ));
    let mut explored = explored(&model, SearchOrder::BreadthFirst, 1_000).expect("a small model");
    let options = GenerationOptions {
        strategy: StrategyKind::S1,
        ..GenerationOptions::default()
    };
    let generated = generate(&model, &options, &mut |_| {}).expect("it compiles");
    let (verdicts, _) = techniques_agree(&mut explored, 1);
    assert!(count(&verdicts, Conforms::Always) > 0, "{verdicts:?}");
    for (mutant, conforms) in verdicts {
        let decided = matches!(
            generated.results.get(mutant),
            Status::Killed(_) | Status::Crashed { .. }
        );
        assert_eq!(decided, conforms == Conforms::No, "{mutant:?} {conforms:?}");
    }
}

#[test]
fn a_model_that_fails_or_is_too_large_is_told() {
    let fails = load(&class(
        "",
        "var n: int[0..2] actions ctr up = requires true: n := n + 1 end do up() od",
    ));
    let Some(Obstacle::Stopped { stop, after }) =
        explored(&fails, SearchOrder::BreadthFirst, 100).err()
    else {
        panic!("it fails");
    };
    assert!(matches!(stop, Stop::Error(..)), "{stop:?}");
    assert_eq!(after, "after ctr up, ctr up");
    let large = load(&class(
        "",
        "var n: int[0..500] actions ctr up = requires n < 500: n := n + 1 end do up() od",
    ));
    let much = explored(&large, SearchOrder::BreadthFirst, 100).err();
    assert_eq!(much, Some(Obstacle::TooLarge(100)));
}
