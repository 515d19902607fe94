//! What a report says of a mutant before any test has run: where it is and what it changes.
//!
//! [`MutantInfo`] is made once, when a run is planned, and then passed along unchanged: into the
//! plan, into the journal of verdicts and into `outcomes.json`.

use std::fmt;

use atropos_mutants::mutant::{MutantId, Span};
use atropos_mutants::operator::Operator;
use serde::{Deserialize, Serialize};

/// One mutant as people and machines are told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MutantInfo {
    /// Its number within the run, from 1.
    pub id: MutantId,
    /// The same for the same change in a later run, also when lines above it have moved.
    pub key: String,
    pub package: String,
    /// Relative to the workspace's root, with `/` on every system.
    pub file: String,
    /// 1-based line where people look for the change.
    pub line: u32,
    /// 1-based column, counted in characters.
    pub column: u32,
    /// The bytes of the file that give way to the replacement.
    pub span: Span,
    /// The function around it, or empty if there is none.
    pub function: String,
    pub operator: Operator,
    /// The text that the mutant takes away.
    pub original: String,
    /// The text that it puts there.
    pub replacement: String,
    /// How people say it: "replace + with -".
    pub summary: String,
    /// Whether it can only act where threads are explored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_exploration: bool,
}

impl MutantInfo {
    /// `src/bank.rs:12:20`
    pub fn place(&self) -> String {
        format!("{}:{}:{}", self.file, self.line, self.column)
    }

    /// The canonical name, which `--re` and `--exclude-re` are matched against.
    pub fn name(&self) -> String {
        format!("{}: {}", self.place(), self.edit_and_operator())
    }

    /// The name without the place: `replace + with - in fn deposit [AOR]`.
    pub fn edit_and_operator(&self) -> String {
        let code = self.operator.code();
        if self.function.is_empty() {
            format!("{} [{code}]", self.summary)
        } else {
            format!("{} in fn {} [{code}]", self.summary, self.function)
        }
    }
}

impl fmt::Display for MutantInfo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name())
    }
}
