//! The stand-ins have the paper's sizes, say that they are synthetic, and behave: they come up, take inputs, show outputs, never fail.

use super::*;
use crate::check;
use crate::execution::interpreter::iterations;
use crate::model::{Model, State};
use crate::mutation::{MutantSet, MutationMode};

/// Within so many percent of the paper's figure.
fn near(what: &str, found: usize, wanted: usize, percent: usize) {
    let off = found.abs_diff(wanted) * 100;
    assert!(
        off <= wanted * percent,
        "{what}: {found} instead of {wanted}"
    );
}

fn has_the_size_of_the_paper(kind: PaperModel) {
    let text = generate(kind, 1);
    let (size, counts) = (kind.size(), measure(&text));
    let model =
        check::load(&text).unwrap_or_else(|found| panic!("{}", found.render("m", &text, false)));
    assert_eq!(model.objects.len(), size.objects, "objects");
    assert_eq!(counts.objects, size.objects, "objects by the text");
    assert_eq!(counts.attributes, size.attributes, "attributes");
    assert_eq!(counts.controllables, size.controllables, "controllables");
    near("statements", counts.statements, size.statements, 2);
    near("mutants", model.mutants.list.len(), size.mutants, 4);
    let kib = model.state_size() as f64 / 1024.0;
    assert!(
        (kib - size.state_kib).abs() < size.state_kib * 0.25,
        "{kib} KiB of state instead of {}",
        size.state_kib
    );
}

#[test]
fn m2_has_the_size_of_the_paper() {
    has_the_size_of_the_paper(PaperModel::M2);
}

#[test]
fn m3_has_the_size_of_the_paper() {
    has_the_size_of_the_paper(PaperModel::M3);
}

#[test]
fn m4_has_the_size_of_the_paper() {
    has_the_size_of_the_paper(PaperModel::M4);
}

#[test]
fn m5_has_the_size_of_the_paper() {
    has_the_size_of_the_paper(PaperModel::M5);
}

#[test]
fn m6_has_the_size_of_the_paper() {
    has_the_size_of_the_paper(PaperModel::M6);
}

#[test]
fn m7_has_the_size_of_the_paper() {
    has_the_size_of_the_paper(PaperModel::M7);
}

#[test]
fn every_text_says_that_it_is_synthetic_and_depends_on_nothing_but_its_seed() {
    for kind in [
        PaperModel::M2,
        PaperModel::M3,
        PaperModel::M4,
        PaperModel::M5,
    ] {
        let text = generate(kind, 5);
        assert!(text.starts_with("# SYNTHETIC MODEL"), "{kind}");
        assert_eq!(text, generate(kind, 5), "{kind}");
        assert_ne!(text, generate(kind, 6), "{kind}");
    }
}

#[test]
fn kinds_are_read_by_name() {
    assert_eq!("m7".parse(), Ok(PaperModel::M7));
    assert!(
        "m1".parse::<PaperModel>()
            .is_err_and(|message| message.contains("m2 to m7"))
    );
}

/// A run of a model under the interpreter, one path at a time.
struct Run {
    model: Model,
    mode: MutationMode,
    state: State,
    random: SplitMix64,
}

impl Run {
    fn of(kind: PaperModel) -> Run {
        Run::of_text(&generate(kind, 1))
    }

    fn of_text(text: &str) -> Run {
        let model = check::load(text).expect("a good model");
        Run {
            mode: MutationMode::original(&model.mutants),
            state: model.initial.clone(),
            random: SplitMix64::new(9),
            model,
        }
    }

    /// Labels and next state of everything enabled.
    fn enabled(&self) -> Vec<(Vec<String>, State)> {
        for rank in &self.model.ranks {
            let mut found = Vec::new();
            for &object in rank {
                let mut infected = MutantSet::default();
                for outcome in
                    iterations(&self.model, &self.state, object, &self.mode, &mut infected)
                {
                    let labels = outcome
                        .labels
                        .iter()
                        .map(|label| self.model.label_text(label))
                        .collect();
                    found.push((labels, outcome.result.expect("no execution error")));
                }
            }
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    fn is_input(labels: &[String]) -> bool {
        labels.first().is_some_and(|label| label.starts_with("ctr"))
    }

    /// Goes on without inputs, a random step at a time; gives what was shown.
    fn settle(&mut self) -> Vec<String> {
        let mut shown = Vec::new();
        for _ in 0..100_000 {
            let mut own = self.enabled();
            own.retain(|(labels, _)| !Self::is_input(labels));
            if own.is_empty() {
                return shown;
            }
            let (labels, state) = own.swap_remove(self.random.remainder(own.len()));
            shown.extend(labels);
            self.state = state;
        }
        panic!("internal steps without end");
    }

    fn inputs(&self) -> Vec<(Vec<String>, State)> {
        let mut found = self.enabled();
        found.retain(|(labels, _)| Self::is_input(labels));
        found
    }

    /// Gives an input and goes on; what was shown, the input's own labels included.
    fn give(&mut self, input: &str) -> Vec<String> {
        let wanted = format!("ctr {input}");
        let taken = self
            .inputs()
            .into_iter()
            .find(|(labels, _)| labels[0] == wanted);
        let (labels, state) = taken.unwrap_or_else(|| panic!("`{input}` is not taken here"));
        self.state = state;
        let mut shown = labels[1..].to_vec();
        shown.extend(self.settle());
        shown
    }
}

/// A random walk: time passes or an input is given, and something is shown now and then.
fn walks(kind: PaperModel, steps: usize) {
    let mut run = Run::of(kind);
    let (mut inputs, mut shown) = (0, 0);
    for _ in 0..steps {
        let mut all = run.enabled();
        assert!(!all.is_empty(), "{kind} comes to a dead end");
        let (labels, state) = all.swap_remove(run.random.remainder(all.len()));
        inputs += labels
            .iter()
            .filter(|label| label.starts_with("ctr"))
            .count();
        shown += labels
            .iter()
            .filter(|label| label.starts_with("obs"))
            .count();
        run.state = state;
    }
    assert!(
        inputs > steps / 10 && shown > steps / 10,
        "{kind}: {inputs} inputs, {shown} outputs"
    );
}

#[test]
fn the_loader_the_device_and_the_defibrillator_walk_without_errors() {
    // The loader has 1600 inputs at every step.
    for (kind, steps) in [
        (PaperModel::M2, 20),
        (PaperModel::M3, 60),
        (PaperModel::M4, 60),
    ] {
        walks(kind, steps);
    }
}

#[test]
fn the_middleware_comes_up_and_delivers_messages() {
    let mut run = Run::of(PaperModel::M5);
    let up = run.settle();
    assert_eq!(
        up.iter().filter(|label| label.contains("NodeUp")).count(),
        10
    );
    run.give("Subscribe(0)");
    let shown = run.give("Publish(0, 0, 2)");
    assert!(
        shown.iter().any(|label| label.contains("Delivered(2)")),
        "{shown:?}"
    );
}

#[test]
fn the_small_station_comes_up_and_lets_a_train_through() {
    let mut run = Run::of(PaperModel::M6);
    let up = run.settle();
    let expected = 10 + 4 + 3 * 2 + 3 * 6 + 3;
    assert_eq!(
        up.len(),
        expected,
        "each section and relay shows 1, each switch and signal 3, the station 3: {up:?}"
    );
    assert_eq!(up.last().map(String::as_str), Some("obs StationReady"));
    // Switches move until the route is locked.
    let mut shown = run.give("route_0_request");
    for _ in 0..4 {
        let moving = run
            .inputs()
            .into_iter()
            .find(|(labels, _)| labels[0].ends_with("_reach"));
        if let Some((labels, _)) = moving {
            shown.extend(run.give(labels[0].trim_start_matches("ctr ")));
        }
    }
    assert!(
        shown
            .iter()
            .any(|label| label.ends_with("route_0.RouteLocked")),
        "{shown:?}"
    );
    let shown = run.give("route_0_confirm");
    assert!(
        shown.iter().any(|label| label.ends_with("RouteOpen")),
        "{shown:?}"
    );
    assert!(
        shown.iter().any(|label| label.ends_with("SignalGo")),
        "{shown:?}"
    );
    // The train runs through the route's sections; relays are energised, so each can be vacated.
    let mut shown = Vec::new();
    for section in 0..10 {
        let enters = format!("ctr section_{section}_occupy");
        if run.inputs().iter().any(|(labels, _)| labels[0] == enters) {
            shown.extend(run.give(&format!("section_{section}_occupy")));
            shown.extend(run.give(&format!("section_{section}_vacate")));
        }
    }
    for wanted in ["SignalStop", "route_0.RouteReleased"] {
        assert!(
            shown.iter().any(|label| label.ends_with(wanted)),
            "{wanted} is missing in {shown:?}"
        );
    }
}

#[test]
fn routes_that_share_a_section_are_not_set_together() {
    let mut run = Run::of(PaperModel::M6);
    run.settle();
    run.give("route_0_request");
    let refused: usize = (1..10)
        .map(|route| run.give(&format!("route_{route}_request")))
        .filter(|shown| shown.iter().any(|label| label.ends_with("RouteRefused")))
        .count();
    assert!(refused > 0, "ten routes over ten sections must collide");
}

#[test]
fn stations_of_any_size_have_their_objects_and_come_up() {
    for objects in [50, 100, 200] {
        let mut run = Run::of_text(&station(objects, 3));
        assert_eq!(run.model.objects.len(), objects);
        assert_eq!(
            run.settle().last().map(String::as_str),
            Some("obs StationReady")
        );
        assert!(!run.inputs().is_empty());
    }
    for objects in [400, 800] {
        assert_eq!(measure(&station(objects, 3)).objects, objects);
    }
}
