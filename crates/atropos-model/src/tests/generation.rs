//! Test generation with short-lived mutants.

use crate::cli::SuiteOptions;
use crate::generation::{
    EngineKind, Generated, GenerationOptions, Status, StrategyKind, Workers, generate,
};
use crate::loading::ModelSource;
use crate::mutation::{InitialStatus, ModelMutantId};
use crate::results::{
    JsonSuite, TestCase, aut, check_suite, confirm, draw_tests, prepare, write_report, write_test,
};
use crate::state_space::{Acting, StateSpaceLimits, Stop};
use crate::testing::{KillMatrix, reduce};
use crate::tests::random_models::generated as random_model;
use crate::tests::support::{class, example, example_model, load};
use std::sync::Arc;

fn options(strategy: StrategyKind, workers: usize) -> GenerationOptions {
    GenerationOptions {
        strategy,
        workers,
        engine: EngineKind::Interpreter,
        ..GenerationOptions::default()
    }
}

fn run(text: &str, options: &GenerationOptions) -> Generated {
    generate(&load(text), options, &mut |_| {}).expect("the model compiles")
}

fn statuses(generated: &Generated) -> Vec<String> {
    generated
        .results
        .statuses
        .iter()
        .map(|status| format!("{status:?}"))
        .collect()
}

#[test]
fn the_car_alarm_reaches_the_papers_kill_rates_with_every_strategy() {
    for strategy in [StrategyKind::S1, StrategyKind::S2, StrategyKind::Frontier] {
        let generated = run(&example("car_alarm.ooas"), &options(strategy, 1));
        let table = generated.results.table(&generated.model.mutants);
        assert!(table.percent_of_total() >= 88.0, "{strategy:?} {table:?}");
        assert!(table.percent_of_found() >= 94.0, "{strategy:?} {table:?}");
    }
}

#[test]
fn the_frontier_strategy_kills_at_least_as_many_with_fewer_moves() {
    for model in [
        "car_alarm.ooas",
        "car_alarm.scxml",
        "car_alarm.puml",
        "media_player.puml",
    ] {
        let measure = |strategy| {
            let model = example_model(model);
            let generated =
                generate(&model, &options(strategy, 1), &mut |_| {}).expect("the model compiles");
            let moves: usize = generated.paths.iter().map(|path| path.moves.len()).sum();
            (generated.results.killed().count(), moves)
        };
        let (ours, moves) = measure(StrategyKind::Frontier);
        for other in [StrategyKind::S1, StrategyKind::S2] {
            let (theirs, their_moves) = measure(other);
            assert!(
                ours >= theirs && moves < their_moves,
                "{model}: {ours} by {moves} against {theirs} by {their_moves}"
            );
        }
    }
}

#[test]
fn the_number_of_workers_changes_nothing() {
    for strategy in [StrategyKind::S2, StrategyKind::Frontier] {
        let text = example("car_alarm.ooas");
        let mut alone = options(strategy, 1);
        let mut three = options(strategy, 3);
        (alone.depth, three.depth) = (40, 40);
        let (one, many) = (run(&text, &alone), run(&text, &three));
        assert_eq!(one.paths, many.paths);
        assert_eq!(statuses(&one), statuses(&many));
    }
}

#[test]
fn both_engines_generate_the_same_tests() {
    let text = example("car_alarm.ooas");
    let interpreted = options(StrategyKind::S1, 1);
    let compiled = GenerationOptions {
        engine: EngineKind::Jit,
        ..interpreted.clone()
    };
    let (one, other) = (run(&text, &interpreted), run(&text, &compiled));
    assert_eq!(one.paths, other.paths);
    assert_eq!(statuses(&one), statuses(&other));
}

/// Short-lived mutants start in the middle; a kill must also be seen when the written test is run from the very start.
fn kills_are_real(text: &str, options: &GenerationOptions) -> usize {
    let mut generated = run(text, options);
    let claimed = generated.results.killed().count();
    written(&mut generated, options);
    assert_eq!(generated.confirmation.unconfirmed, [], "{text}");
    claimed
}

/// The tests as they are written, and what running them shows.
fn written(generated: &mut Generated, options: &GenerationOptions) -> (Vec<String>, KillMatrix) {
    let mut workers = Workers::new(&generated.model, options).expect("the model compiles");
    let mut texts = Vec::new();
    for path in generated.paths.clone() {
        let graph = &mut generated.graph;
        let test = TestCase::build(graph, &mut workers, &path, options.limits);
        texts.push(aut(&test, &generated.model));
    }
    let matrix =
        confirm(&texts, generated, &mut workers, options.limits).expect("the tests are right");
    (texts, matrix)
}

#[test]
fn every_kill_is_one_from_the_start_too() {
    for strategy in [StrategyKind::S1, StrategyKind::S2, StrategyKind::Frontier] {
        assert!(kills_are_real(&example("car_alarm.ooas"), &options(strategy, 1)) > 80);
    }
    let mut small = options(StrategyKind::S1, 1);
    (small.tests, small.depth, small.limits) = (2, 12, StateSpaceLimits { closure: 2_000 });
    for seed in 200..206 {
        kills_are_real(&random_model(seed), &small);
    }
}

#[test]
fn few_places_for_mutants_mean_fewer_kills_but_true_ones() {
    let mut narrow = options(StrategyKind::S1, 1);
    (narrow.max_live, narrow.depth) = (3, 60);
    assert!(kills_are_real(&example("car_alarm.ooas"), &narrow) > 10);
}

#[test]
fn the_reduced_suite_kills_all_that_the_whole_suite_kills() {
    let options = options(StrategyKind::S1, 1);
    let mut generated = run(&example("car_alarm.ooas"), &options);
    let (_, matrix) = written(&mut generated, &options);
    let kept = reduce(&matrix);
    assert!(!kept.is_empty() && kept.len() <= generated.paths.len());
    for row in &matrix.rows {
        let killers = row.killers();
        assert!(
            killers.is_empty() || killers.iter().any(|test| kept.contains(test)),
            "{:?} is no longer killed",
            row.mutant
        );
    }
}

#[test]
fn a_run_leaves_tests_in_aldebaran_format_a_report_and_a_page() {
    let options = options(StrategyKind::Frontier, 1);
    let mut generated = run(&example("car_alarm.ooas"), &options);
    let mut workers = Workers::new(&generated.model, &options).expect("the model compiles");
    let directory = std::env::temp_dir().join(format!("atropos-model-{}", std::process::id()));
    prepare(&directory).expect("a place");
    let mut suite = JsonSuite::new("car_alarm");
    for path in &generated.paths.clone() {
        let graph = &mut generated.graph;
        let limits = options.limits;
        write_test(&directory, &mut suite, path, graph, &mut workers, limits).expect("written");
    }
    let matrix = check_suite(&directory, &mut generated, &mut workers, options.limits)
        .expect("the tests are right");
    let suite = SuiteOptions::default();
    let source = ModelSource::of_model("car_alarm.ooas".into(), example("car_alarm.ooas"));
    let report = write_report(
        &directory,
        ("car_alarm", &source),
        &generated,
        &matrix,
        &options,
        None,
        suite,
    )
    .expect("written");
    let aut = std::fs::read_to_string(directory.join("test_000.aut")).expect("a test");
    let mut lines = aut.lines();
    let head = lines.next().expect("a head");
    let numbers: Vec<usize> = head
        .trim_start_matches("des (")
        .trim_end_matches(')')
        .split(", ")
        .map(|number| number.parse().expect("a number"))
        .collect();
    let transitions: Vec<&str> = lines.collect();
    assert_eq!(numbers[0], 0);
    assert_eq!(numbers[1], transitions.len());
    for line in &transitions {
        let parts: Vec<&str> = line.trim_matches(['(', ')']).split('"').collect();
        assert_eq!(parts.len(), 3, "{line}");
        let from: usize = parts[0].trim_matches([' ', ',']).parse().expect("a state");
        let to: usize = parts[2].trim_matches([' ', ',']).parse().expect("a state");
        assert!(from < numbers[2] && to < numbers[2], "{line}");
    }
    assert!(transitions.iter().any(|line| line.contains("\"pass\"")));
    let json: serde_json::Value = serde_json::from_str(
        &std::fs::read_to_string(directory.join("report.json")).expect("a report"),
    )
    .expect("JSON");
    assert_eq!(json["table"]["killed"], report.table.killed);
    let page = std::fs::read_to_string(directory.join("index.html")).expect("a page");
    assert!(
        page.contains("<svg") && !page.contains("http://") || page.contains("www.w3.org/2000/svg")
    );
    draw_tests(&directory, &report, &generated, &source).expect("drawn, or nothing to draw with");
    let page = std::fs::read_to_string(directory.join("index.html")).expect("a page");
    for test in &report.tests {
        let svg = format!("{}.svg", test.file);
        let is_drawn = directory.join(&svg).exists();
        assert_eq!(page.contains(&format!("href=\"{svg}\"")), is_drawn, "{svg}");
    }
    std::fs::remove_dir_all(directory).expect("cleaned up");
}

#[test]
fn duplicates_equivalents_and_dead_code_are_told_apart() {
    let model = load(&class(
        "",
        "var a: int[0..3]; b: bool
         methods unused = a := 1 end
         actions ctr c = requires a >= 0: requires b: a := 1 end end
         do c() od",
    ));
    let status = |original: &str, replacement: &str| {
        let found = model
            .mutants
            .list
            .iter()
            .find(|m| model.source(m.span) == original && m.replacement == replacement);
        found.map(|mutant| mutant.status)
    };
    // Over 0..3 `a > 0` and `a <> 0` are one and the same.
    let first = model
        .mutants
        .list
        .iter()
        .find(|m| m.replacement == "a <> 0")
        .map(|m| m.id);
    assert_eq!(
        status("a >= 0", "a > 0"),
        first.map(InitialStatus::Duplicate)
    );
    assert_eq!(status("a >= 0", "a = 0"), Some(InitialStatus::Open));
    assert!(matches!(
        status("requires b", "requires false"),
        Some(InitialStatus::Duplicate(_))
    ));
    let dead: Vec<_> = model
        .mutants
        .list
        .iter()
        .filter(|m| m.status == InitialStatus::Dead)
        .collect();
    assert_eq!(dead.len(), 2, "the literal of `unused` has two mutants");
}

#[test]
fn mutants_act_together_unless_they_need_the_same_place() {
    let model = load(&example("car_alarm.ooas"));
    let list = &model.mutants.list;
    let same = list
        .windows(2)
        .find(|pair| pair[0].point == pair[1].point)
        .expect("a point with two mutants");
    assert!(Acting::mutants(&model.mutants, &[same[0].id, same[1].id]).is_none());
    let other = list
        .iter()
        .find(|mutant| mutant.point != same[0].point)
        .expect("another point");
    assert!(Acting::mutants(&model.mutants, &[same[0].id, other.id]).is_some());
}

#[test]
fn sets_of_mutants_are_drawn_once_for_all_and_killed_like_single_ones() {
    let mut model = (*load(&example("car_alarm.ooas"))).clone();
    let singles = model.mutants.list.len();
    model.mutants.combine(3, 30, 7);
    let sizes: Vec<usize> = model.mutants.list[singles..]
        .iter()
        .map(|set| set.parts.len())
        .collect();
    assert_eq!(sizes.iter().filter(|size| **size == 2).count(), 30);
    assert_eq!(sizes.iter().filter(|size| **size == 3).count(), 30);
    let mut again = (*load(&example("car_alarm.ooas"))).clone();
    again.mutants.combine(3, 30, 7);
    assert!(
        model
            .mutants
            .list
            .iter()
            .zip(&again.mutants.list)
            .all(|(one, other)| one.parts == other.parts)
    );
    let model = Arc::new(model);
    let options = options(StrategyKind::Frontier, 1);
    let mut generated = generate(&model, &options, &mut |_| {}).expect("it compiles");
    let table = generated.results.table(&model.mutants);
    assert_eq!(table.together, 60);
    written(&mut generated, &options);
    assert_eq!(generated.confirmation.unconfirmed, []);
    let sets = generated.results.killed();
    let killed = sets.filter(|(set, _)| set.0 as usize > singles).count();
    assert!(killed > 45, "{killed}");
}

#[test]
fn an_original_that_fails_is_reported_with_the_way_there() {
    let text = class(
        "",
        "var a: int[0..2] actions ctr up = requires true: a := a + 1 end do up() od",
    );
    let generated = run(&text, &options(StrategyKind::S1, 1));
    let (path, stop) = generated.failure.as_ref().expect("it fails");
    assert!(matches!(stop, Stop::Error(..)));
    assert_eq!(path.moves.len(), 2, "the third `up` would overflow");
    let at_once = class("", "var a: int[0..2] = 2 do a := a + 1 od");
    let generated = run(&at_once, &options(StrategyKind::S1, 1));
    assert!(generated.failure.is_some());
    assert!(generated.paths.is_empty(), "there is no test to write");
}

#[test]
fn endless_internal_steps_are_silence() {
    let text = class(
        "",
        "var b, on: bool actions ctr Go = requires not on: on := true end; obs Done = requires on: on := false end
         do Go() [] Done() [] requires not on: b := not b end od",
    );
    let mut generated = run(&text, &options(StrategyKind::Frontier, 1));
    assert!(generated.failure.is_none());
    let (texts, _) = written(&mut generated, &options(StrategyKind::Frontier, 1));
    assert!(texts.iter().any(|text| text.contains("obs delta")));
    assert!(texts.iter().any(|text| text.contains("ctr Go")));
}

#[test]
fn too_many_internal_states_end_with_a_finding() {
    let growing = class(
        "",
        "var n: int[0..1000000] do requires n < 1000000: n := n + 1 end od",
    );
    let mut small = options(StrategyKind::S1, 1);
    small.limits = StateSpaceLimits { closure: 500 };
    assert!(matches!(
        run(&growing, &small).failure,
        Some((_, Stop::TooManyStates))
    ));
}

#[test]
fn a_mutant_that_never_ends_after_one_input_is_killed_by_another() {
    let text = class(
        "",
        "var n: int[0..100000]; on: bool; k: int[0..2]
         actions ctr Run = requires not on and n = 0: n := 1 end;
           ctr Go = requires not on and n = 0: on, k := true, 1 end;
           obs Done(k: int[0..2]) = requires on and k = 1: on := false end
         do Run() [] Go() [] Done(k) [] requires n > 0 and n < 3: n := n + 1 end [] requires n >= 3: n := 0 end od",
    );
    let mut small = options(StrategyKind::Frontier, 1);
    small.limits = StateSpaceLimits { closure: 2_000 };
    let mut generated = run(&text, &small);
    written(&mut generated, &small);
    let table = generated.results.table(&generated.model.mutants);
    assert!(table.killed > 10, "{table:?}");
}

#[test]
fn silence_where_the_original_must_speak_kills() {
    let text = class(
        "",
        "var b: bool actions ctr ask = requires not b: b := true end; obs answer = requires b: b := false end
         do answer() // ask() od",
    );
    let generated = run(&text, &options(StrategyKind::Frontier, 1));
    let model = &generated.model;
    let mutant = model
        .mutants
        .list
        .iter()
        .find(|m| model.source(m.span) == "requires b")
        .expect("a guard");
    match generated.results.get(mutant.id) {
        Status::Killed(kill) => assert_eq!(kill.observation, "obs delta"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn fewer_outputs_alone_are_no_kill() {
    let text = class(
        "",
        "var b: bool actions ctr ask = requires not b: b := true end;
           obs yes = requires b: b := false end; obs no = requires b: b := false end
         do (yes() [] no()) // ask() od",
    );
    let generated = run(&text, &options(StrategyKind::Frontier, 1));
    let model = &generated.model;
    let guards: Vec<ModelMutantId> = model
        .mutants
        .list
        .iter()
        .filter(|m| model.source(m.span) == "requires b")
        .map(|m| m.id)
        .collect();
    assert_eq!(guards.len(), 2);
    for id in guards {
        assert!(
            matches!(generated.results.get(id), Status::GivenUp),
            "{:?}",
            generated.results.get(id)
        );
    }
}

/// Two classes may have an action of one name: their labels name the object, or a written test could not tell them apart.
#[test]
fn outputs_of_one_name_in_two_classes_are_told_apart() {
    let text = "types
  Part = system |[
    var on: bool = true
    actions obs Shown = requires true: skip end
    do requires on: Shown(); on := false end od
  ]|;
  Main = autocons system |[
    var part: Part = new(Part, \"part\"); on: bool = false
    actions
      obs Shown = requires true: skip end;
      ctr Go = requires true: skip end
    do requires on: Shown(); on := false end // Go() od
  ]|
system Part // Main";
    let options = options(StrategyKind::Frontier, 1);
    assert!(kills_are_real(text, &options) > 0);
    let (texts, _) = written(&mut run(text, &options), &options);
    assert!(texts[0].contains("\"obs part.Shown\""), "{}", texts[0]);
}

#[test]
fn claims_hold_where_two_classes_share_names() {
    let mut options = options(StrategyKind::Frontier, 1);
    (options.tests, options.depth) = (2, 6);
    options.limits.closure = 500;
    kills_are_real(&random_model(136), &options);
}
