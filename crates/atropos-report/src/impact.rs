//! What a mutant disturbs without being noticed, and what that makes of the order of survivors.
//!
//! The formula is [`Impact::scored`]: one point for each learned invariant that the mutant breaks,
//! one for each function that returns something else, one for each that executes something else,
//! one for each thing that threads tell each other and never told each other in the original.
//! Survivors stand in the order of their scores; of equal ones the one that is felt farther away
//! comes first, then the one that comes first in the source. Those for which `cargo atropos write` has proven an assertion come
//! before all others, those that a search found no difference for behind those that disturb something. Mutants that never made a difference
//! where they act come last: see [`rank`].

use serde::{Deserialize, Serialize};

use crate::communication::CommunicationRecord;
use crate::outcomes::MutantRecord;
use crate::verdict::Verdict;

/// What was seen of a mutant under tests that pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Impact {
    /// See [`Impact::scored`].
    pub score: usize,
    /// Under how many tests it was observed.
    pub tests: usize,
    /// What always held of the original and does not hold of it.
    pub invariants: Vec<BrokenInvariant>,
    /// The functions that return something else (or leave something else behind `&mut`).
    pub returns: Vec<DisturbedFunction>,
    /// The functions that are called, or whose blocks are executed, another number of times.
    pub executions: Vec<DisturbedFunction>,
    /// What threads told each other that those of the original never did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub communications: Vec<CommunicationRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<Suggestion>,
    /// The suggestion was built into the tests, passed on the original and failed on the mutant.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_proven: bool,
    /// On so many made-up inputs its function acted like the original.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_on: Option<usize>,
}

/// An invariant that a mutant breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenInvariant {
    #[serde(flatten)]
    pub at: DisturbedFunction,
    /// What held in every test: `size ≥ 0`.
    pub invariant: String,
    /// A value that broke it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<String>,
}

/// A function that behaves otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisturbedFunction {
    pub function: String,
    /// How many calls it is away from the mutant's own function; none if no call leads there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<usize>,
}

/// What to write so that the mutant would be noticed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    pub words: String,
    pub code: String,
}

impl Impact {
    /// The same with its score: the number of its parts.
    pub fn scored(self) -> Impact {
        let broken = self.invariants.len();
        let changed = self.returns.len() + self.executions.len();
        Impact {
            score: broken + changed + self.new_ways(),
            ..self
        }
    }

    /// In how many new ways threads meet that are not just chance.
    pub fn new_ways(&self) -> usize {
        let new = self.communications.iter();
        new.filter(|new| !new.may_be_chance()).count()
    }

    /// How many calls away the mutant is felt.
    pub fn reach(&self) -> usize {
        let invariants = self.invariants.iter().map(|broken| &broken.at);
        let all = invariants.chain(&self.returns).chain(&self.executions);
        all.filter_map(|disturbed| disturbed.distance)
            .max()
            .unwrap_or(0)
    }

    /// Why the mutant stands where it stands, in one line.
    pub fn reason(&self) -> String {
        let mut parts = Vec::new();
        let number = |count: usize, one: &str, many: &str| match count {
            1 => format!("1 {one}"),
            _ => format!("{count} {many}"),
        };
        if !self.invariants.is_empty() {
            let count = number(self.invariants.len(), "invariant", "invariants");
            parts.push(format!("breaks {count}"));
        }
        if !self.returns.is_empty() {
            let count = number(self.returns.len(), "function returns", "functions return");
            parts.push(format!("{count} something else"));
        }
        if !self.executions.is_empty() {
            let count = number(self.executions.len(), "function runs", "functions run");
            parts.push(format!("{count} otherwise"));
        }
        match self.new_ways() {
            0 if self.communications.is_empty() => {}
            0 => parts.push("threads meet otherwise inside libraries".to_owned()),
            ways => {
                let count = number(ways, "new way", "new ways");
                parts.push(format!("threads meet in {count}"));
            }
        }
        if self.is_proven {
            parts.insert(0, "a proven assertion catches it".to_owned());
        }
        if let Some(inputs) = self.same_on {
            parts.push(format!(
                "acts like the original on {inputs} searched inputs"
            ));
        }
        match (parts.is_empty(), self.reach()) {
            (true, _) => "disturbs nothing that was observed".to_owned(),
            (false, 0) => parts.join(", "),
            (false, 1) => format!("{}, up to 1 call away", parts.join(", ")),
            (false, reach) => format!("{}, up to {reach} calls away", parts.join(", ")),
        }
    }
}

/// What is said of mutants that never made a difference.
pub const NEVER_INFECTED: &str = "probably equivalent, or the tests' data never show it";

/// Gives survived and uninfected mutants their ranks, from 1, if impact was measured at all.
pub fn rank(mutants: &mut [MutantRecord]) {
    if mutants.iter().all(|record| record.impact.is_none()) {
        return;
    }
    let mut order: Vec<usize> = (0..mutants.len())
        .filter(|&index| place(&mutants[index]).is_some())
        .collect();
    order.sort_by_key(|&index| (place(&mutants[index]), mutants[index].info.id));
    for (rank, index) in (1..).zip(order) {
        mutants[index].rank = Some(rank);
    }
}

/// Smaller is more disturbing. None: not in the order.
fn place(record: &MutantRecord) -> Option<(u8, usize, usize)> {
    let impact = record.impact.as_ref();
    let (score, reach) = impact.map_or((0, 0), |impact| (impact.score, impact.reach()));
    let is_proven = impact.is_some_and(|impact| impact.is_proven);
    let is_searched = impact.is_some_and(|impact| impact.same_on.is_some());
    let more_first = |number: usize| usize::MAX - number;
    let group = match record.verdict? {
        Verdict::Survived | Verdict::Uninfected if is_proven => 0,
        Verdict::Survived if score == 0 && is_searched => 2,
        Verdict::Survived => 1,
        Verdict::Uninfected if is_searched => 4,
        Verdict::Uninfected => 3,
        _ => return None,
    };
    Some((group, more_first(score), more_first(reach)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use atropos_protocol::communication::InteractionKind;

    use crate::communication::ActRecord;

    fn disturbed(distance: usize) -> DisturbedFunction {
        DisturbedFunction {
            function: "f".into(),
            distance: Some(distance),
        }
    }

    #[test]
    fn the_score_is_the_sum_of_its_parts() {
        let broken = BrokenInvariant {
            at: disturbed(3),
            invariant: "x ≥ 0".into(),
            seen: Some("-1".into()),
        };
        let impact = Impact {
            tests: 2,
            invariants: vec![broken],
            returns: vec![disturbed(0), disturbed(1)],
            executions: vec![disturbed(0)],
            communications: vec![CommunicationRecord {
                kind: InteractionKind::Flow,
                acts: Vec::new(),
                certain: true,
            }],
            ..Impact::default()
        };
        let impact = impact.scored();
        assert_eq!((impact.score, impact.reach()), (5, 3));
        assert_eq!(
            impact.reason(),
            "breaks 1 invariant, 2 functions return something else, 1 function runs otherwise, \
             threads meet in 1 new way, up to 3 calls away"
        );
        assert_eq!(
            Impact::default().reason(),
            "disturbs nothing that was observed"
        );
    }

    #[test]
    fn what_may_be_chance_does_not_count() {
        let act = |file: &str| ActRecord {
            thread: 1,
            noun: "write".into(),
            file: file.into(),
            line: 1,
            what: None,
        };
        let impact = |files: &[&str], certain| {
            let communication = CommunicationRecord {
                kind: InteractionKind::Flow,
                acts: files.iter().map(|file| act(file)).collect(),
                certain,
            };
            let communications = vec![communication];
            Impact {
                communications,
                ..Impact::default()
            }
            .scored()
        };
        let (own, library) = ("src/lib.rs", "tokio-1.54.1/src/lib.rs");
        assert_eq!(impact(&[library, library], true).score, 1);
        assert_eq!(impact(&[own, library], false).score, 1);
        let chance = impact(&[library, library], false);
        assert_eq!(chance.score, 0);
        assert_eq!(chance.reason(), "threads meet otherwise inside libraries");
    }
}
