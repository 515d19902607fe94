//! Mutants of charts: all of them lie on what the user drew, and each is what the same edit of the chart itself would be.

use super::{Animation, animate_model, compare_some};
use crate::charts::mutants::{ElementMap, apply};
use crate::charts::translate;
use crate::cli::SuiteOptions;
use crate::generation::{GenerationOptions, Workers, generate};
use crate::loading::{Loaded, ModelSource};
use crate::mutation::{InitialStatus, ModelMutant, ModelMutantId, MutationMode};
use crate::results::{self, JsonSuite};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One example of each format, and all that have their mutants counted.
const COUNTED: [&str; 9] = [
    "car_alarm.puml",
    "car_alarm.scxml",
    "crossing.scxml",
    "heater.scxml",
    "login.graphwalker.json",
    "media_player.puml",
    "parking.uml",
    "turnstile.mmd",
    "vending.xstate.json",
];

/// The example models that are charts, by name.
pub fn example_charts() -> Vec<(String, ModelSource)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/models");
    let files = std::fs::read_dir(directory).expect("the examples");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    let mut charts = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("readable");
        let name = file
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        match super::super::read(&name, &text) {
            Some(Ok(chart)) => {
                charts.push((name.clone(), ModelSource::of_chart(name, text, chart)))
            }
            Some(Err(problems)) => panic!("{problems}"),
            None => {}
        }
    }
    charts
}

fn loaded(source: ModelSource) -> Loaded {
    let mut said = String::new();
    let loaded = source.check(false, &mut |text| said.push_str(text));
    loaded.unwrap_or_else(|| panic!("{said}"))
}

fn of_text(file: &str, text: &str) -> Loaded {
    let chart = super::super::read(file, text)
        .expect("a chart")
        .expect("without problems");
    loaded(ModelSource::of_chart(file.into(), text.into(), chart))
}

fn under(loaded: &Loaded, mutant: Option<ModelMutantId>) -> Animation {
    let model = (*loaded.model).clone();
    let set: Vec<ModelMutantId> = mutant.into_iter().collect();
    let mode = MutationMode::enabling(&model.mutants, &set).expect("one mutant");
    Animation { model, mode }
}

fn shown(mutant: &ModelMutant) -> String {
    format!(
        "{} {} → {}",
        mutant.operator.code(),
        mutant.original,
        mutant.replacement
    )
}

#[test]
fn every_mutant_of_an_example_lies_on_an_element_of_its_chart() {
    let mut counts = BTreeMap::new();
    for (name, source) in example_charts() {
        let Loaded { model, source } = loaded(source);
        let chart = source.chart.as_ref().expect("a chart");
        let elements = ElementMap::new(&chart.chart, source.text());
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        assert!(!model.mutants.list.is_empty(), "{name}");
        for mutant in &model.mutants.list {
            let text = source.text().get(mutant.span.range());
            assert_eq!(
                text,
                Some(mutant.original.as_str()),
                "{name}: {}",
                shown(mutant)
            );
            let shape = chart.mutants.get(mutant.id.0 as usize - 1);
            let element = match shape {
                Some(shape) => Some(shape.edit.element(shape.machine)),
                None => elements.at(&mutant.span.range()),
            };
            assert!(element.is_some(), "{name}: {} is plumbing", shown(mutant));
            assert_ne!(
                mutant.status,
                InitialStatus::Dead,
                "{name}: {}",
                shown(mutant)
            );
            *kinds.entry(mutant.operator.code()).or_default() += 1;
        }
        if COUNTED.contains(&name.as_str()) {
            counts.insert(name, kinds);
        }
    }
    insta::assert_snapshot!(table(&counts));
}

fn table(counts: &BTreeMap<String, BTreeMap<&str, usize>>) -> String {
    let line = |(name, kinds): (&String, &BTreeMap<&str, usize>)| {
        let kinds: Vec<String> = kinds
            .iter()
            .map(|(kind, count)| format!("{kind} {count}"))
            .collect();
        format!("{name}: {}\n", kinds.join(", "))
    };
    counts.iter().map(line).collect()
}

#[test]
fn the_mutants_of_the_turnstile() {
    let (_, source) = example_charts()
        .into_iter()
        .find(|(name, _)| name == "turnstile.mmd")
        .expect("there");
    let Loaded { model, source } = loaded(source);
    let lines = model.mutants.list.iter().map(|mutant| {
        let place = source.mutant_place(mutant.span);
        format!("{}: {place}: {}\n", mutant.id.0, shown(mutant))
    });
    insta::assert_snapshot!(lines.collect::<String>());
}

/// Compares the model that holds all mutants with each mutant's chart, edited and translated alone.
fn each_mutant_is_its_edit(name: &str, loaded: &Loaded, pairs: usize, step: usize) {
    let chart = loaded.source.chart.as_ref().expect("a chart");
    let plain = animate_model(&translate::translate(&chart.chart));
    if let Err(difference) = compare_some(&plain, &under(loaded, None), pairs) {
        panic!("{name}: the original differs from the chart {difference}");
    }
    for (at, mutant) in chart.mutants.iter().enumerate().step_by(step) {
        let alone = animate_model(&translate::translate(&apply(&chart.chart, mutant)));
        let woven = under(loaded, Some(ModelMutantId(at as u32 + 1)));
        if let Err(difference) = compare_some(&alone, &woven, pairs) {
            panic!("{name}: {mutant:?} differs from its edit {difference}");
        }
    }
}

#[test]
fn each_mutant_of_an_example_is_its_edit() {
    for (name, source) in example_charts() {
        let chart = source.chart.as_ref().expect("a chart");
        // Objects beside each other have many states.
        let (pairs, step) = match chart.chart.instances.is_empty() {
            true => (60, 4),
            false => (25, 18),
        };
        each_mutant_is_its_edit(&name, &loaded(source), pairs, step);
    }
}

#[test]
fn each_mutant_of_a_random_chart_is_its_edit() {
    for seed in 0..4 {
        let text = super::random::chart(seed);
        each_mutant_is_its_edit(
            &format!("seed {seed}"),
            &of_text("random.scxml", &text),
            15,
            9,
        );
    }
}

#[test]
fn an_expression_that_was_translated_to_several_places_is_one_expression() {
    // The action stands in each order of the regions, the guard in each copy of the arrow.
    let text = "@startuml Two\n'! var n : int[0..9] = 0\n[*] --> All\nstate All {\n[*] --> A\nA --> B : go [n < 3] / n := n + 1\n--\n\
                [*] --> C\nC --> D : go [n < 3] / n := n + 2\n}\n@enduml";
    let Loaded { model, .. } = of_text("two.puml", text);
    let of = |original: &str, operator: &str| {
        let all = model.mutants.list.iter();
        all.filter(|m| m.original == original && m.operator.code() == operator)
            .count()
    };
    assert_eq!(of("n < 3", "RBO"), 10, "two guards, five operators each");
    assert_eq!(of("n + 1", "RBO"), 4);
    assert_eq!(of("1", "RIL"), 2);
}

/// The page of a short run.
fn page_of(loaded: &Loaded) -> String {
    let options = GenerationOptions {
        tests: 1,
        depth: 20,
        workers: 1,
        ..GenerationOptions::default()
    };
    let mut generated = generate(&loaded.model, &options, &mut |_| ()).expect("it compiles");
    let mut workers = Workers::new(&loaded.model, &options).expect("it compiles");
    let directory = std::env::temp_dir().join(format!("atropos-chart-{}", std::process::id()));
    results::prepare(&directory).expect("a place");
    let mut suite = JsonSuite::new("player");
    for path in &generated.paths.clone() {
        let (graph, limits) = (&mut generated.graph, options.limits);
        results::write_test(&directory, &mut suite, path, graph, &mut workers, limits)
            .expect("written");
    }
    let limits = options.limits;
    let matrix =
        results::check_suite(&directory, &mut generated, &mut workers, limits).expect("right");
    let (name, suite) = (("player", &loaded.source), SuiteOptions::default());
    results::write_report(&directory, name, &generated, &matrix, &options, None, suite)
        .expect("written");
    let page = std::fs::read_to_string(directory.join("index.html")).expect("a page");
    let _ = std::fs::remove_dir_all(&directory);
    page
}

#[test]
fn the_page_draws_the_chart_with_its_mutants_and_the_tests_as_paths() {
    let (_, source) = example_charts()
        .into_iter()
        .find(|(name, _)| name == "media_player.puml")
        .expect("there");
    let loaded = loaded(source);
    let machine = &loaded
        .source
        .chart
        .as_ref()
        .expect("a chart")
        .chart
        .machines[0];
    let arrows = machine.transitions().count();
    let page = page_of(&loaded);
    for name in [
        "Radio",
        "Disc",
        "Playing",
        "H*",
        "power / LightOn",
        "entry / PlaysRadio",
    ] {
        assert!(page.contains(&format!(">{name}</text>")), "{name}");
    }
    let drawn = page.matches("class=\"el arrow").count();
    assert!(drawn >= arrows, "{drawn} of {arrows} arrows");
    let steps = page.matches("<li class=\"step\"").count();
    assert!(steps > 10, "{steps} steps");
    assert!(
        page.contains("data-p=\"a0-1-0\""),
        "the first step takes the arrow from Off"
    );
}
