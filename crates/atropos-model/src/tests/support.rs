//! What the tests share: loading models, walking their states with either engine.

use crate::charts;
use crate::check;
use crate::execution::interpreter::Iteration;
use crate::execution::jit::{CompiledModel, Jitted};
use crate::execution::{Engine, Inputs, Interpreted};
use crate::model::{Model, ObjectId, State};
use crate::mutation::{MutantSet, MutationMode};
use std::collections::HashSet;
use std::sync::Arc;

pub fn load(text: &str) -> Arc<Model> {
    match check::load(text) {
        Ok(model) => Arc::new(model),
        Err(diagnostics) => panic!(
            "the model is wrong:\n{}",
            diagnostics.render("test", text, false)
        ),
    }
}

pub fn example(name: &str) -> String {
    let path = format!(
        "{}/../../examples/models/{name}",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The models under `examples/models`, charts translated.
pub const EXAMPLES: [&str; 6] = [
    "car_alarm.ooas",
    "car_alarm.scxml",
    "car_alarm.puml",
    "crossing.scxml",
    "heater.scxml",
    "media_player.puml",
];

pub fn example_model(name: &str) -> Arc<Model> {
    let chart = charts::read(name, &example(name));
    match chart {
        None => load(&example(name)),
        Some(Ok(chart)) => load(&charts::translate_with_origins(&chart).text),
        Some(Err(problems)) => panic!("{}", problems.diagnostics.render(name, "", false)),
    }
}

/// One class `C`, created once, with the given sections.
pub fn class(types: &str, sections: &str) -> String {
    format!("types\n{types}\nC = autocons system |[\n{sections}\n]|\nsystem C")
}

/// The outcomes of the first object in the initial state, as text: labels, then `!error` or changed attributes.
pub fn first_outcomes(text: &str) -> Vec<String> {
    let model = load(text);
    let object = model.ranks[0][0];
    let mode = MutationMode::original(&model.mutants);
    let mut both = engines(&model);
    let mut infected = MutantSet::default();
    let interpreted = both
        .0
        .iterations(&model.initial, object, &mode, &mut infected);
    let compiled = both
        .1
        .iterations(&model.initial, object, &mode, &mut infected);
    assert_eq!(
        interpreted, compiled,
        "interpreter and compiled code differ"
    );
    interpreted
        .iter()
        .map(|outcome| outcome_text(&model, outcome))
        .collect()
}

fn outcome_text(model: &Model, outcome: &Iteration) -> String {
    let mut parts: Vec<String> = outcome
        .labels
        .iter()
        .map(|label| model.label_text(label))
        .collect();
    match &outcome.result {
        Err(error) => parts.push(format!("!{:?} {}", error.kind, model.source(error.span))),
        Ok(state) => {
            let object = model.ranks[0][0];
            let before = model.object_text(&model.initial, object);
            let after = model.object_text(state, object);
            let changed = before
                .iter()
                .zip(&after)
                .filter(|(before, after)| before != after);
            parts.extend(changed.map(|(_, (name, value))| format!("{name}={value}")));
        }
    }
    parts.join(" ")
}

pub fn engines(model: &Arc<Model>) -> (Interpreted, Jitted) {
    let compiled = CompiledModel::new(model, 2).expect("the model compiles");
    (
        Interpreted {
            model: model.clone(),
        },
        Jitted::new(Arc::new(compiled)),
    )
}

/// Both engines leave out inputs alike, and know of each input which mutants it meets.
fn inputs_agree(
    interpreter: &mut Interpreted,
    jit: &mut Jitted,
    state: &State,
    object: ObjectId,
    mode: &MutationMode,
) {
    let mut sets = (MutantSet::default(), MutantSet::default());
    assert_eq!(
        interpreter.run(state, object, mode, Inputs::None, &mut sets.0),
        jit.run(state, object, mode, Inputs::None, &mut sets.1)
    );
    let same = |one: &MutantSet, other: &MutantSet| one.iter().eq(other.iter());
    assert!(same(&sets.0, &sets.1), "recorded without inputs");
    let (one, other) = (
        interpreter.offers(state, object, mode, &mut sets.0),
        jit.offers(state, object, mode, &mut sets.1),
    );
    assert!(same(&sets.0, &sets.1), "recorded with all inputs");
    let (one, other) = match (one, other) {
        (Ok(one), Ok(other)) => (one, other),
        (one, other) => return assert_eq!(one, other),
    };
    assert_eq!(one.len(), other.len());
    for (one, other) in one.iter().zip(&other) {
        assert_eq!(one.label, other.label);
        assert!(
            same(&one.infected, &other.infected),
            "recorded for {:?}",
            one.label
        );
    }
}

/// Walks up to `limit` states and compares both engines in each, for the original, while recording, and for every
/// mutant. Gives the number of states.
pub fn engines_agree(model: &Arc<Model>, limit: usize) -> usize {
    let (mut interpreter, mut jit) = engines(model);
    let record = MutationMode::record(&model.mutants);
    let mut modes = vec![MutationMode::original(&model.mutants)];
    for mutant in &model.mutants.list {
        modes.push(
            MutationMode::enabling(&model.mutants, &[mutant.id])
                .expect("one mutant never conflicts"),
        );
    }
    let mut seen: HashSet<State> = HashSet::from([model.initial.clone()]);
    let mut open = vec![model.initial.clone()];
    while let Some(state) = open.pop() {
        for object in model.ranks.iter().flatten() {
            let mut expected = MutantSet::for_all(&model.mutants);
            let mut found = MutantSet::for_all(&model.mutants);
            let outcomes = interpreter.iterations(&state, *object, &record, &mut expected);
            assert_eq!(
                outcomes,
                jit.iterations(&state, *object, &record, &mut found)
            );
            assert_eq!(expected, found, "recorded mutants differ");
            inputs_agree(&mut interpreter, &mut jit, &state, *object, &record);
            for (at, mode) in modes.iter().enumerate() {
                let mut none = MutantSet::default();
                let by_interpreter = interpreter.iterations(&state, *object, mode, &mut none);
                let by_jit = jit.iterations(&state, *object, mode, &mut none);
                assert_eq!(
                    by_interpreter, by_jit,
                    "mutant {at} differs in\n{}",
                    model.text
                );
                if at == 0 {
                    assert_eq!(by_interpreter, outcomes, "recording changes nothing");
                } else if !expected.contains(model.mutants.list[at - 1].id) {
                    assert_eq!(
                        by_interpreter, outcomes,
                        "mutant {at} was not recorded\n{}",
                        model.text
                    );
                }
            }
            for outcome in outcomes {
                if let Ok(target) = outcome.result
                    && seen.len() < limit
                    && seen.insert(target.clone())
                {
                    open.push(target);
                }
            }
        }
    }
    seen.len()
}
