//! `tests.json`: the adaptive tests for programs in any language. The format has a version, and a schema in the book.

use super::test_case::{Edge, TestCase};
use crate::generation::Move;
use crate::model::{Label, Model, Observation};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Raised when a field changes its meaning.
pub const VERSION: u32 = 1;
const FORMAT: &str = "atropos-model-tests";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JsonSuite {
    /// Always `atropos-model-tests`.
    pub format: String,
    pub version: u32,
    pub model: String,
    pub tests: Vec<JsonTest>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JsonTest {
    pub name: String,
    /// By their numbers; the test starts at 0.
    pub nodes: BTreeMap<usize, JsonNode>,
}

/// What a test does at a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JsonNode {
    /// Give an input at once, without looking for outputs.
    Give { input: JsonLabel, to: usize },
    /// Wait for the next output, or until none comes. What has no branch is a failure.
    Observe(Vec<JsonBranch>),
    /// `pass` or `inconclusive`.
    Verdict(String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JsonBranch {
    /// An output as it is written in the model; none for silence.
    pub output: Option<String>,
    pub to: usize,
}

/// An input, whole and in its parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JsonLabel {
    /// `Name`, `Name(argument, …)` or `object.Name(…)`.
    pub label: String,
    pub name: String,
    /// Where several objects have such an action.
    pub object: Option<String>,
    pub arguments: Vec<String>,
}

impl JsonLabel {
    fn new(label: &Label, model: &Model) -> JsonLabel {
        let code = model.code(label.code);
        let object = &model.objects[label.object.index()].name;
        JsonLabel {
            label: model.label_name(label),
            name: code.name.clone(),
            object: code.names_object.then(|| object.clone()),
            arguments: model.label_args(label),
        }
    }
}

impl JsonSuite {
    pub fn new(model: &str) -> JsonSuite {
        JsonSuite {
            format: FORMAT.into(),
            version: VERSION,
            model: model.into(),
            tests: Vec::new(),
        }
    }

    /// Reads a suite.
    ///
    /// # Errors
    /// If it is none of this version, or leads nowhere.
    pub fn parse(text: &str) -> anyhow::Result<JsonSuite> {
        let suite: JsonSuite = serde_json::from_str(text)?;
        anyhow::ensure!(
            suite.format == FORMAT && suite.version == VERSION,
            "it is `{}` of version {}, not `{FORMAT}` of version {VERSION}",
            suite.format,
            suite.version
        );
        for test in &suite.tests {
            let lost = test.targets().find(|to| !test.nodes.contains_key(to));
            if let Some(lost) = lost {
                anyhow::bail!("{}: there is no node {lost}", test.name);
            }
        }
        Ok(suite)
    }
}

impl JsonTest {
    pub fn new(name: &str, test: &TestCase, model: &Model) -> JsonTest {
        let mut nodes: BTreeMap<usize, JsonNode> = BTreeMap::new();
        for (from, edge, to) in &test.edges {
            let branch = match edge {
                Edge::Step(Move::Input(label)) => {
                    let input = JsonLabel::new(label, model);
                    nodes.insert(*from, JsonNode::Give { input, to: *to });
                    continue;
                }
                Edge::Pass => {
                    nodes.insert(*from, JsonNode::Verdict("pass".into()));
                    continue;
                }
                Edge::Inconclusive => {
                    nodes.insert(*from, JsonNode::Verdict("inconclusive".into()));
                    continue;
                }
                Edge::Fail => continue,
                Edge::Step(Move::Observe(Observation::Delta)) => JsonBranch {
                    output: None,
                    to: *to,
                },
                Edge::Step(Move::Observe(Observation::Output(label))) => JsonBranch {
                    output: Some(model.label_name(label)),
                    to: *to,
                },
            };
            let node = nodes.entry(*from);
            if let JsonNode::Observe(branches) =
                node.or_insert_with(|| JsonNode::Observe(Vec::new()))
            {
                branches.push(branch);
            }
        }
        JsonTest {
            name: name.into(),
            nodes,
        }
    }

    fn targets(&self) -> impl Iterator<Item = usize> {
        let of = |node: &JsonNode| match node {
            JsonNode::Give { to, .. } => vec![*to],
            JsonNode::Observe(branches) => branches.iter().map(|branch| branch.to).collect(),
            JsonNode::Verdict(_) => Vec::new(),
        };
        let all: Vec<usize> = self.nodes.values().flat_map(of).collect();
        [0].into_iter().chain(all)
    }
}
