//! Tests as graphs for graphviz.

use super::test_case::{Edge, TestCase};
use crate::generation::Move;
use crate::model::Model;
use std::fmt::Write as _;

pub fn dot(test: &TestCase, model: &Model, name: &str) -> String {
    let mut out = format!(
        "digraph \"{name}\" {{\n  rankdir=TB;\n  node [shape=circle, label=\"\", width=0.15];\n"
    );
    let _ = writeln!(out, "  0 [shape=doublecircle];");
    let mut leaf = test.nodes;
    for (from, edge, to) in &test.edges {
        let label = edge.text(model);
        match edge {
            Edge::Step(step) => {
                let color = if matches!(step, Move::Input(_)) {
                    "blue"
                } else {
                    "black"
                };
                let _ = writeln!(
                    out,
                    "  {from} -> {to} [label=\"{label}\", color={color}, fontcolor={color}];"
                );
            }
            // Every verdict gets its own leaf, or the graph would be one knot.
            Edge::Fail => {}
            Edge::Pass | Edge::Inconclusive => {
                let color = if *edge == Edge::Pass {
                    "darkgreen"
                } else {
                    "orange"
                };
                let _ = writeln!(
                    out,
                    "  {leaf} [shape=box, label=\"{label}\", fontcolor={color}];"
                );
                let _ = writeln!(out, "  {from} -> {leaf} [color={color}];");
                leaf += 1;
            }
        }
    }
    out.push_str("}\n");
    out
}
