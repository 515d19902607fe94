//! Tests in the Aldebaran format.

use super::test_case::TestCase;
use crate::model::Model;
use crate::testing::file_label;
use std::fmt::Write as _;

/// `des (0, transitions, states)`, then one transition per line; ASCII, no quotes inside labels.
pub fn aut(test: &TestCase, model: &Model) -> String {
    let mut out = format!("des (0, {}, {})\n", test.edges.len(), test.nodes);
    for (from, edge, to) in &test.edges {
        let label = file_label(&edge.text(model));
        let _ = writeln!(out, "({from}, \"{label}\", {to})");
    }
    out
}
