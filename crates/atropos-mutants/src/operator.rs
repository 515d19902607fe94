//! The catalogue of operators: the rules that make mutants.
use serde::{Deserialize, Serialize};

/// An operator's short code, e.g. `AOR`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Operator {
    Aor,
}
