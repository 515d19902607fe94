//! Full and reduced exploration once more, judged by somebody else: both suspension automata are written down, made
//! minimal, and compared by petgraph's search for an isomorphism.

use crate::generation::Move;
use crate::model::{Model, Observation};
use crate::mutation::MutantSet;
use crate::state_space::{Acting, Reducer, StateExplorer, SuspensionNode};
use crate::tests::random_models::generated;
use crate::tests::reduction::{LIMITS, explorer};
use crate::tests::support::{EXAMPLES, example_model, load};
use petgraph::algo::is_isomorphic_matching;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// States are named by what can be observed in them; edges by what is given or seen.
type Automaton = DiGraph<String, String>;

/// The deterministic automaton of suspension states; nothing if it has too many, or the model fails.
fn automaton(explorer: &mut StateExplorer, acting: &Acting, most: usize) -> Option<Automaton> {
    let model = explorer.model.clone();
    let mut graph = Automaton::new();
    let mut known: HashMap<Vec<SuspensionNode>, NodeIndex> = HashMap::new();
    let start = vec![SuspensionNode::at(model.initial.clone())];
    known.insert(start.clone(), graph.add_node("start".into()));
    let mut open = vec![start];
    while let Some(kernel) = open.pop() {
        let here = known[&kernel];
        let suspension = explorer
            .close(acting, &kernel, LIMITS, &mut MutantSet::default())
            .ok()?;
        let observations = suspension.observations();
        let texts: Vec<String> = observations
            .iter()
            .map(|o| model.observation_text(o))
            .collect();
        let begin = if here.index() == 0 { "start: " } else { "" };
        graph[here] = format!("{begin}{}", texts.join(", "));
        let inputs = explorer.inputs(acting, &suspension).ok()?;
        let outputs = observations
            .into_iter()
            .filter(|o| *o != Observation::Delta);
        let moves = inputs.into_keys().map(Move::Input);
        for step in moves.chain(outputs.map(Move::Observe)) {
            let next = step.of_original(explorer, acting, &suspension).ok()?;
            let to = *known.entry(next.clone()).or_insert_with(|| {
                open.push(next);
                graph.add_node(String::new())
            });
            graph.add_edge(here, to, step.text(&model));
        }
        if graph.node_count() > most {
            return None;
        }
    }
    Some(graph)
}

/// Merges states from which the same can be seen: partitions are refined until nothing changes.
fn minimal(graph: &Automaton) -> Automaton {
    let mut class: Vec<usize> = numbered(graph.node_indices().map(|node| graph[node].clone()));
    loop {
        let signature = |node: NodeIndex| {
            let edges = graph.edges(node);
            let moves: BTreeMap<&String, usize> = edges
                .map(|edge| {
                    use petgraph::visit::EdgeRef as _;
                    (edge.weight(), class[edge.target().index()])
                })
                .collect();
            format!("{} {moves:?}", class[node.index()])
        };
        let refined = numbered(graph.node_indices().map(signature));
        if refined.iter().max() == class.iter().max() {
            break;
        }
        class = refined;
    }
    let mut small = Automaton::new();
    let mut representatives: BTreeMap<usize, NodeIndex> = BTreeMap::new();
    for node in graph.node_indices() {
        representatives.entry(class[node.index()]).or_insert(node);
    }
    let index: BTreeMap<usize, NodeIndex> = representatives
        .iter()
        .map(|(class, node)| (*class, small.add_node(graph[*node].clone())))
        .collect();
    for (number, node) in &representatives {
        use petgraph::visit::EdgeRef as _;
        for edge in graph.edges(*node) {
            let to = index[&class[edge.target().index()]];
            small.add_edge(index[number], to, edge.weight().clone());
        }
    }
    small
}

/// Equal keys get equal numbers, in the order in which they come.
fn numbered(keys: impl Iterator<Item = String>) -> Vec<usize> {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    keys.map(|key| {
        let next = numbers.len();
        *numbers.entry(key).or_insert(next)
    })
    .collect()
}

fn agree(model: &Arc<Model>, most: usize) -> Option<(usize, usize)> {
    let acting = Acting::original(&model.mutants);
    let reducer = Arc::new(Reducer::new(model));
    let full = automaton(&mut explorer(model, None), &acting, most)?;
    let reduced = automaton(&mut explorer(model, Some(reducer)), &acting, most)
        .expect("the reduced automaton has no more states and no other errors");
    let (one, other) = (minimal(&full), minimal(&reduced));
    let same = is_isomorphic_matching(&one, &other, |a, b| a == b, |a, b| a == b);
    assert!(same, "{}", model.text);
    Some((full.node_count(), one.node_count()))
}

#[test]
fn petgraph_finds_full_and_reduced_automata_of_every_example_equal() {
    for name in EXAMPLES {
        let (states, minimal) = agree(&example_model(name), 500).expect("a small automaton");
        assert!(states > 10 && minimal > 5, "{name}: {states}, {minimal}");
    }
}

#[test]
fn petgraph_finds_full_and_reduced_automata_of_generated_models_equal() {
    let compared = (400..440)
        .filter(|seed| agree(&load(&generated(*seed)), 30).is_some())
        .count();
    assert!(compared >= 5, "only {compared} models could be compared");
}

#[test]
fn automata_that_differ_are_found_to_differ() {
    let mut graph = Automaton::new();
    let (a, b) = (
        graph.add_node("start: x".into()),
        graph.add_node("y".into()),
    );
    graph.add_edge(a, b, "go".into());
    graph.add_edge(b, b, "go".into());
    let mut other = graph.clone();
    let c = other.add_node("y".into());
    other.update_edge(b, c, "go".into());
    let mut loose = other.clone();
    loose.remove_edge(loose.find_edge(b, b).expect("there"));
    loose.add_edge(c, c, "go".into());
    let same = |one: &Automaton, other: &Automaton| {
        is_isomorphic_matching(&minimal(one), &minimal(other), |a, b| a == b, |a, b| a == b)
    };
    assert!(
        same(&graph, &loose),
        "one more copy of a state changes nothing"
    );
    loose[c] = "z".into();
    assert!(!same(&graph, &loose));
}
