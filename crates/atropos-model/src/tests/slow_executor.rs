//! Written tests once more, run by somebody else: an executor that shares nothing with the one that counts kills but the
//! file format and the interpreter of single iterations. It explores all orders, keeps nothing, and knows a mutant as a
//! text of its own, in which the mutant's edit was made.

use crate::check;
use crate::execution::interpreter::iterations;
use crate::generation::{
    EngineKind, Generated, GenerationOptions, StrategyKind, Workers, generate,
};
use crate::model::{Label, Model, State};
use crate::mutation::{ModelMutant, MutantSet, MutationMode};
use crate::results::{TestCase, aut, confirm};
use crate::state_space::StateSpaceLimits;
use crate::tests::random_models::generated as random_model;
use crate::tests::support::load;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// A state, and the labels that the running iteration has still to show.
type Node = (State, Vec<Label>);
type Edges<'t> = BTreeMap<usize, Vec<(&'t str, usize)>>;

/// Larger closures, and runs with more steps, are not compared.
const MOST_STEPS: usize = 200;
const MOST_NODES: usize = 200;

fn edges(text: &str) -> Edges<'_> {
    let mut edges: Edges = BTreeMap::new();
    for line in text.lines().skip(1) {
        let parts: Vec<&str> = line.trim_matches(['(', ')']).splitn(3, '"').collect();
        let number = |text: &str| text.trim_matches([' ', ',']).parse().expect("a number");
        let from: usize = number(parts[0]);
        edges
            .entry(from)
            .or_default()
            .push((parts[1], number(parts[2])));
    }
    edges
}

/// One iteration: what it shows, and where it leads unless it ends in an error.
type Iteration = (Vec<Label>, Option<State>);

/// The original or a mutant, with what it can do in the states that were looked at.
struct System {
    model: Arc<Model>,
    known: RefCell<HashMap<State, Vec<Iteration>>>,
}

impl System {
    fn new(model: Arc<Model>) -> System {
        System {
            model,
            known: RefCell::default(),
        }
    }

    /// The iterations of the first rank that has any.
    fn enabled(&self, state: &State) -> Vec<Iteration> {
        if let Some(known) = self.known.borrow().get(state) {
            return known.clone();
        }
        let model = &self.model;
        let mode = MutationMode::original(&model.mutants);
        let mut all: Vec<Iteration> = Vec::new();
        for rank in &model.ranks {
            for object in rank {
                let found = iterations(model, state, *object, &mode, &mut MutantSet::default());
                all.extend(found.into_iter().map(|one| (one.labels, one.result.ok())));
            }
            if !all.is_empty() {
                break;
            }
        }
        self.known.borrow_mut().insert(state.clone(), all.clone());
        all
    }

    /// What a node can do next; `None` after an error that no input is needed for.
    fn moves(&self, (state, pending): &Node) -> Option<Moves> {
        if let Some((first, rest)) = pending.split_first() {
            return Some(vec![(
                Some(first.clone()),
                Some((state.clone(), rest.to_vec())),
            )]);
        }
        let split = |(labels, target): Iteration| {
            let first = labels.first().cloned();
            let waits = first.as_ref().is_some_and(|label| label.controllable);
            let rest = labels.get(1..).unwrap_or_default().to_vec();
            let target = target.map(|target| (target, rest));
            (target.is_some() || waits).then_some((first, target))
        };
        self.enabled(state).into_iter().map(split).collect()
    }
}

/// What a node can do next, and where that leads unless it ends in an error; no label: an internal step.
type Moves = Vec<(Option<Label>, Option<Node>)>;

/// All that internal steps reach, with what can be done there.
fn closure(system: &System, kernel: &BTreeSet<Node>) -> Option<BTreeMap<Node, Moves>> {
    let mut all = BTreeMap::new();
    let mut open: Vec<Node> = kernel.iter().cloned().collect();
    while let Some(node) = open.pop() {
        if all.contains_key(&node) {
            continue;
        }
        let moves = system.moves(&node)?;
        let internal = moves.iter().filter(|(label, _)| label.is_none());
        open.extend(internal.filter_map(|(_, target)| target.clone()));
        all.insert(node, moves);
        if all.len() > MOST_NODES {
            return None;
        }
    }
    Some(all)
}

/// Nodes from which neither an output nor a node at rest can be reached by internal steps, and nodes at rest without output.
fn silent(all: &BTreeMap<Node, Moves>) -> BTreeSet<&Node> {
    let output = |moves: &Moves| {
        let mut labels = moves.iter().filter_map(|(label, _)| label.as_ref());
        labels.any(|label| !label.controllable)
    };
    let restless = |moves: &Moves| moves.iter().any(|(label, _)| label.is_none());
    let mut ends: BTreeSet<&Node> = all
        .iter()
        .filter(|(_, moves)| output(moves) || !restless(moves))
        .map(|(node, _)| node)
        .collect();
    loop {
        let leads = |moves: &Moves| {
            let mut internal = moves.iter().filter(|(label, _)| label.is_none());
            internal.any(|(_, target)| target.as_ref().is_some_and(|target| ends.contains(target)))
        };
        let more: Vec<&Node> = all
            .iter()
            .filter(|(node, moves)| !ends.contains(node) && leads(moves))
            .map(|(node, _)| node)
            .collect();
        if more.is_empty() {
            break;
        }
        ends.extend(more);
    }
    let is_silent = |node: &Node, moves: &Moves| {
        let around = || {
            reached(all, node)
                .iter()
                .all(|to| reached(all, to).contains(node))
        };
        !ends.contains(node) && around() || !output(moves) && !restless(moves)
    };
    all.iter()
        .filter(|(node, moves)| is_silent(node, moves))
        .map(|(node, _)| node)
        .collect()
}

/// What internal steps lead to.
fn reached<'a>(all: &'a BTreeMap<Node, Moves>, node: &'a Node) -> BTreeSet<&'a Node> {
    let mut reached: BTreeSet<&Node> = [node].into();
    let mut open = vec![node];
    while let Some(at) = open.pop() {
        let internal = all[at].iter().filter(|(label, _)| label.is_none());
        for target in internal.filter_map(|(_, target)| target.as_ref()) {
            if reached.insert(target) {
                open.push(target);
            }
        }
    }
    reached
}

/// The result of all runs of a system on a test.
#[derive(Default)]
struct Runs {
    fails: bool,
    /// An error, or too many states: what is behind it is not known.
    is_cut: bool,
    steps: usize,
}

fn run(system: &System, edges: &Edges, node: usize, kernel: &BTreeSet<Node>, runs: &mut Runs) {
    runs.steps += 1;
    if runs.fails {
        return;
    }
    if runs.steps > MOST_STEPS {
        runs.is_cut = true;
        return;
    }
    let here = &edges[&node];
    if matches!(here[0].0, "pass" | "inconc") {
        return;
    }
    let Some(all) = closure(system, kernel) else {
        runs.is_cut = true;
        return;
    };
    if here[0].0.starts_with("ctr ") {
        let (input, to) = here[0];
        match given(&system.model, &all, input) {
            Some(kernel) => run(system, edges, to, &kernel, runs),
            None => runs.is_cut = true,
        }
        return;
    }
    let mut seen: BTreeMap<String, BTreeSet<Node>> = BTreeMap::new();
    for node in silent(&all) {
        seen.entry("obs delta".into())
            .or_default()
            .insert(node.clone());
    }
    for (label, target) in all.values().flatten() {
        if let Some(label) = label.as_ref().filter(|label| !label.controllable) {
            let text = system.model.label_text(label);
            seen.entry(text).or_default().extend(target.clone());
        }
    }
    for (text, kernel) in seen {
        match here.iter().find(|(label, _)| *label == text) {
            None => runs.fails = true,
            Some((_, to)) => run(system, edges, *to, &kernel, runs),
        }
    }
}

/// Where an input leads a system that takes every input: one that is not expected changes nothing, but waits for internal
/// steps that come before.
fn given(model: &Model, all: &BTreeMap<Node, Moves>, input: &str) -> Option<BTreeSet<Node>> {
    let takes = |moves: &Moves| -> Vec<Option<Node>> {
        let fits = |label: &Option<Label>| {
            label
                .as_ref()
                .is_some_and(|label| model.label_text(label) == input)
        };
        let taken = moves.iter().filter(|(label, _)| fits(label));
        taken.map(|(_, target)| target.clone()).collect()
    };
    let taken: Option<BTreeSet<Node>> = all.values().flat_map(takes).collect();
    let mut next = taken?;
    for node in silent(all) {
        // From a livelock the input is taken if some node of it takes it.
        if reached(all, node)
            .iter()
            .all(|node| takes(&all[*node]).is_empty())
        {
            next.insert(node.clone());
        }
    }
    // Nodes at rest that could show something, but don't take it.
    for (node, moves) in all {
        let at_rest = moves.iter().all(|(label, _)| label.is_some());
        if at_rest && takes(moves).is_empty() {
            next.insert(node.clone());
        }
    }
    Some(next)
}

fn runs(system: &System, edges: &Edges) -> Runs {
    let mut runs = Runs::default();
    let start = [(system.model.initial.clone(), Vec::new())].into();
    run(system, edges, 0, &start, &mut runs);
    runs
}

/// The text in which one edit was made.
fn edited(model: &Model, mutant: &ModelMutant) -> Option<Arc<Model>> {
    let (start, end) = (mutant.span.start as usize, mutant.span.end as usize);
    let text = format!(
        "{}{}{}",
        &model.text[..start],
        mutant.replacement,
        &model.text[end..]
    );
    match check::load(&text) {
        Ok(model) => Some(Arc::new(model)),
        // A number that never fits its type is refused in a text; the mutant ends there in an error.
        Err(diagnostics) => {
            let shown = diagnostics.render("mutant", &text, false);
            assert!(shown.contains("never fits"), "{mutant:?}\n{shown}");
            None
        }
    }
}

fn suite(model: &Arc<Model>, options: &GenerationOptions) -> (Generated, Vec<String>) {
    let mut generated = generate(model, options, &mut |_| {}).expect("it compiles");
    let mut workers = Workers::new(model, options).expect("it compiles");
    let mut texts = Vec::new();
    for path in generated.paths.clone() {
        let test = TestCase::build(&mut generated.graph, &mut workers, &path, options.limits);
        texts.push(aut(&test, model));
    }
    (generated, texts)
}

/// How many runs of mutants were compared: what the written tests show of each is what the slow executor sees.
fn compare(seed: u64, options: &GenerationOptions) -> usize {
    let model = load(&random_model(seed));
    let (mut generated, texts) = suite(&model, options);
    let mut workers = Workers::new(&model, options).expect("it compiles");
    let matrix = confirm(&texts, &mut generated, &mut workers, options.limits);
    let matrix = matrix.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let unconfirmed = &generated.confirmation.unconfirmed;
    assert!(unconfirmed.is_empty(), "seed {seed}: {unconfirmed:?}");
    let tests: Vec<Edges> = texts.iter().map(|text| edges(text)).collect();
    let original = System::new(model.clone());
    for (at, test) in tests.iter().enumerate() {
        let original = runs(&original, test);
        assert!(!original.fails, "seed {seed}: test {at} fails the original");
    }
    let mut compared = 0;
    for row in &matrix.rows {
        let Some(mutant) = edited(&model, model.mutants.get(row.mutant)) else {
            continue;
        };
        let mutant = System::new(mutant);
        for (at, test) in tests.iter().enumerate() {
            let slow = runs(&mutant, test);
            let fails = row.runs[at].failure.is_some();
            let is_same = slow.fails == fails || slow.is_cut;
            compared += usize::from(!slow.is_cut);
            assert!(
                is_same || row.runs[at].limit_reached || row.runs[at].error.is_some(),
                "seed {seed}, test {at}, {:?}: {:?}, but by the slow executor {}\n{}\n{}",
                model.mutants.get(row.mutant),
                row.runs[at],
                slow.fails,
                model.text,
                texts[at]
            );
        }
    }
    compared
}

#[test]
fn what_counts_as_killed_is_what_a_slow_executor_sees_on_texts_with_one_edit() {
    let options = GenerationOptions {
        strategy: StrategyKind::Frontier,
        workers: 1,
        tests: 2,
        depth: 8,
        engine: EngineKind::Interpreter,
        limits: StateSpaceLimits { closure: 500 },
        ..GenerationOptions::default()
    };
    // In 177 a mutant passes through a state that takes an input on its way into a livelock that does not.
    let seeds = (1_000..1_006).chain([177]);
    let compared: usize = seeds.map(|seed| compare(seed, &options)).sum();
    assert!(compared > 200, "{compared}");
}
