//! Where the exploration of a mutant begins, read from the graph of the original's states.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use atropos_values::MutantId;

use crate::choice::Choice;
use crate::graph::{Graph, NodeId, ROOT};
use crate::hash::Set;
use crate::search::SearchStart;

/// All mutants that some transition reaches.
pub(super) fn reached(graph: &Graph) -> BTreeSet<MutantId> {
    graph
        .edges
        .iter()
        .flat_map(|edge| edge.reached.iter().copied())
        .collect()
}

/// Whether just the same transitions reach the two.
pub(super) fn is_reached_alike(graph: &Graph, one: MutantId, other: MutantId) -> bool {
    let mut edges = 0..graph.edges.len() as u32;
    edges.all(|edge| reaches(graph, edge, one) == reaches(graph, edge, other))
}

fn reaches(graph: &Graph, edge: u32, mutant: MutantId) -> bool {
    graph.edges[edge as usize].reached.contains(&mutant)
}

/// One-state: all that was still to be explored when the original's search first reached the mutant.
pub(super) fn one_state(graph: &Graph, mutant: MutantId) -> Vec<Vec<SearchStart>> {
    let Some(first) = (0..graph.edges.len() as u32).find(|&edge| reaches(graph, edge, mutant))
    else {
        return Vec::new();
    };
    let mut group = Vec::new();
    for (id, node) in graph.nodes.iter().enumerate() {
        let was_known = node.parent.is_none() || node.discovered < first;
        let open: Vec<u32> = node
            .edges
            .iter()
            .copied()
            .filter(|&edge| edge >= first)
            .collect();
        if was_known && !open.is_empty() {
            let parents = |at: NodeId| graph.nodes[at as usize].parent;
            group.push(start(graph, id as NodeId, &parents, &open, false));
        }
    }
    vec![group]
}

/// State-set: the states where a path first reaches the mutant, one after the other. Transitions that
/// the original's search took from such a state before the one that reached the mutant stay done: what
/// lies behind them and reaches the mutant is a start of its own.
pub(super) fn state_set(graph: &Graph, mutant: MutantId) -> Vec<Vec<SearchStart>> {
    let (firsts, parents) = first_states(graph, mutant);
    let parent_of = |at: NodeId| parents[at as usize];
    let start_at = |node: NodeId| {
        let edges = &graph.nodes[node as usize].edges;
        let reaching = edges
            .iter()
            .position(|&edge| reaches(graph, edge, mutant))
            .unwrap_or(0);
        start(graph, node, &parent_of, &edges[reaching..], true)
    };
    firsts
        .into_iter()
        .map(|node| vec![start_at(node)])
        .collect()
}

/// All-states: what is known to lead nowhere near the mutant.
pub(super) fn dead_ends(graph: &Graph, mutant: MutantId) -> Set<u64> {
    let mut into = vec![Vec::new(); graph.nodes.len()];
    let mut leads_to_mutant = vec![false; graph.nodes.len()];
    let mut open = Vec::new();
    for (id, edge) in graph.edges.iter().enumerate() {
        into[edge.to as usize].push(edge.from);
        if reaches(graph, id as u32, mutant) {
            open.push(edge.from);
        }
    }
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut leads_to_mutant[node as usize], true) {
            open.extend_from_slice(&into[node as usize]);
        }
    }
    let dead_ends = (0..graph.nodes.len()).filter(|&node| !leads_to_mutant[node]);
    dead_ends.map(|node| graph.key(node as NodeId)).collect()
}

type Parents = Vec<Option<(NodeId, Choice)>>;

/// Goes through the graph as the search did, transition by transition in its order, but never over one that reaches the
/// mutant: the states in which such a transition starts, and how they were come to. States that the search knew before it
/// first reached the mutant are come to as it came to them, also where an alternative within a step was taken at once,
/// out of turn: what lies on the way to a start is then never more than `one_state` counts.
fn first_states(graph: &Graph, mutant: MutantId) -> (Vec<NodeId>, Parents) {
    let mut parents: Parents = vec![None; graph.nodes.len()];
    let mut seen = vec![false; graph.nodes.len()];
    let mut firsts = Vec::new();
    let mut open: BinaryHeap<Reverse<u32>> = BinaryHeap::new();
    seen[ROOT as usize] = true;
    open.extend(graph.nodes[ROOT as usize].edges.iter().map(|&e| Reverse(e)));
    while let Some(Reverse(number)) = open.pop() {
        let edge = &graph.edges[number as usize];
        if reaches(graph, number, mutant) {
            if !firsts.contains(&edge.from) {
                firsts.push(edge.from);
            }
        } else if !std::mem::replace(&mut seen[edge.to as usize], true) {
            parents[edge.to as usize] = Some((edge.from, edge.choice));
            let next = &graph.nodes[edge.to as usize].edges;
            open.extend(next.iter().map(|&edge| Reverse(edge)));
        }
    }
    (firsts, parents)
}

fn start(
    graph: &Graph,
    node: NodeId,
    parents: &dyn Fn(NodeId) -> Option<(NodeId, Choice)>,
    edges: &[u32],
    unless_met: bool,
) -> SearchStart {
    let (path, passed) = graph.way_to(node, parents);
    let choices = edges
        .iter()
        .map(|&edge| graph.edges[edge as usize].choice)
        .collect();
    SearchStart {
        path,
        spot: graph.nodes[node as usize].spot,
        choices,
        passed,
        unless_met,
    }
}
