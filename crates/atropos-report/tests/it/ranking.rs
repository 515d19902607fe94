//! Survivors in the order of what they disturb.

use anstream::adapter::strip_str;
use atropos_report::impact::{BrokenInvariant, DisturbedFunction, Impact, Suggestion, rank};
use atropos_report::outcomes::Outcomes;
use atropos_report::summary::{SummaryLayout, summary};

use crate::example::{ACCOUNT, outcomes};

fn disturbed(function: &str, distance: usize) -> DisturbedFunction {
    DisturbedFunction {
        function: function.into(),
        distance: Some(distance),
    }
}

/// Mutant 7 disturbs most, 4 less, 3 and 2 nothing; 5 never made a difference.
fn ranked() -> Outcomes {
    let mut outcomes = outcomes();
    let broken = BrokenInvariant {
        at: disturbed("Account::close", 2),
        invariant: "result ≥ 0".into(),
        seen: Some("-1".into()),
    };
    let suggestion = Suggestion {
        words: "`Account::close` returned -1 where every test saw result ≥ 0".into(),
        code: "let result = account.close();\nassert!(result >= 0);".into(),
    };
    for record in &mut outcomes.mutants {
        record.impact = match record.info.id.0 {
            2 | 3 => Some(Impact {
                tests: 1,
                ..Impact::default()
            }),
            4 => {
                let returns = vec![disturbed("Account::deposit", 0)];
                Some(
                    Impact {
                        tests: 1,
                        returns,
                        ..Impact::default()
                    }
                    .scored(),
                )
            }
            7 => {
                let executions = vec![disturbed("Account::send", 1)];
                let broken = vec![broken.clone()];
                let impact = Impact {
                    tests: 1,
                    invariants: broken,
                    executions,
                    suggestion: Some(suggestion.clone()),
                    ..Impact::default()
                };
                Some(impact.scored())
            }
            _ => None,
        };
    }
    rank(&mut outcomes.mutants);
    outcomes
}

fn rendered(outcomes: &Outcomes, top: Option<usize>) -> String {
    let sources = |file: &str| (file == "src/account.rs").then(|| ACCOUNT.to_owned());
    let layout = SummaryLayout {
        width: 100,
        height: None,
        all: false,
        top,
        outcomes_path: "target/atropos/outcomes.json",
        reports: &[],
    };
    strip_str(&summary(outcomes, &sources, layout)).to_string()
}

#[test]
fn the_most_disturbing_come_first_and_the_never_infected_last() {
    let outcomes = ranked();
    let mut order: Vec<(usize, u32)> = outcomes
        .mutants
        .iter()
        .filter_map(|record| Some((record.rank?, record.info.id.0)))
        .collect();
    order.sort_unstable();
    assert_eq!(order, [(1, 7), (2, 4), (3, 2), (4, 3), (5, 5)]);
}

#[test]
fn without_impact_there_are_no_ranks() {
    let mut outcomes = outcomes();
    rank(&mut outcomes.mutants);
    assert!(outcomes.mutants.iter().all(|record| record.rank.is_none()));
}

#[test]
fn the_list_says_why_and_what_to_write_by_function() {
    let text = rendered(&ranked(), None);
    let order = [
        "What no test notices, the most disturbing first:",
        " 1. src/account.rs:11 fn Account::notify",
        "why:   breaks 1 invariant, 1 function runs otherwise, up to 2 calls away",
        "write: let result = account.close();",
        "assert!(result >= 0);",
        " 2. src/account.rs:3 fn Account::deposit",
        "replace > with >= [3]; replace > with < [4]",
        "why:   1 function returns something else",
        " 3. src/account.rs:15 fn Account::close: no test runs it (2 mutants)",
        " 4. src/account.rs:4 fn Account::deposit: never made a difference",
        "why:   probably equivalent, or the tests' data never show it",
    ];
    let mut rest = text.as_str();
    for part in order {
        let start = rest
            .find(part)
            .unwrap_or_else(|| panic!("no {part:?} in\n{text}"));
        rest = &rest[start + part.len()..];
    }
}

#[test]
fn only_the_first_are_shown_on_request() {
    let text = rendered(&ranked(), Some(1));
    assert!(text.contains("1. src/account.rs:") && !text.contains("2. src/account.rs:"));
    let rest =
        "and 3 survivors, 1 function that no test runs, 1 change that never made a difference:";
    assert!(text.contains(rest), "{text}");
}

#[test]
fn ranks_and_impact_survive_the_file() {
    let outcomes = ranked();
    let json = serde_json::to_string(&outcomes).unwrap();
    assert_eq!(serde_json::from_str::<Outcomes>(&json).unwrap(), outcomes);
}
