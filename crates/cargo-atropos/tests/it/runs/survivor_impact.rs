//! What survivors disturb, their order, and what to write.

use std::collections::BTreeSet;

use crate::runs::tree::Tree;

#[test]
fn survivors_are_ranked_by_what_they_disturb() {
    let tree = Tree::of("survivor_impact");
    let run = tree.run(&["--impact", "-f", "src/lib.rs"]).has_code(2);
    let size = run.mutant("src/lib.rs", "Context::new", "replace 0 with 1");
    let limit = run.mutant("src/lib.rs", "clamp", "replace > with >=");
    let far = run.mutant("src/lib.rs", "is_far", "replace > with >=");

    let impact = size.impact.as_ref().expect("it was observed");
    let broken = impact
        .invariants
        .iter()
        .find(|broken| broken.at.function == "Context::new")
        .expect("its own function returns something else");
    assert_eq!(broken.invariant, "result.size = 0");
    assert_eq!(broken.seen.as_deref(), Some("1"));
    assert_eq!(broken.at.distance, Some(0));
    let disturbed: Vec<&str> = impact
        .returns
        .iter()
        .map(|disturbed| disturbed.function.as_str())
        .collect();
    assert_eq!(
        disturbed,
        ["Context::new", "Context::push", "Context::size"]
    );
    assert!(impact.executions.is_empty());
    assert_eq!(
        impact.score,
        impact.invariants.len() + impact.returns.len() + impact.executions.len()
    );
    let suggestion = impact.suggestion.as_ref().expect("there is one");
    assert!(
        suggestion.code.contains("assert!("),
        "{}: {}",
        suggestion.words,
        suggestion.code
    );

    let at_limit = limit.impact.as_ref().expect("it was observed");
    assert!(at_limit.invariants.is_empty() && at_limit.returns.is_empty());
    assert_eq!(at_limit.executions[0].function, "clamp");
    assert!(size.rank < limit.rank, "more is disturbed");
    assert!(far.impact.is_none() && far.rank > limit.rank, "never seen");

    let page = tree.run(&["show", &size.info.id.0.to_string()]).has_code(0);
    for part in [
        "result.size = 0, seen: 1 in Context::new (its own function)",
        "broken invariants",
        "write",
    ] {
        assert!(page.stdout.contains(part), "{}", page.stdout);
    }

    let top = tree.run(&["--impact", "-f", "src/lib.rs", "--top", "1"]);
    let listed = top.stdout.matches("\n 1. ").count() + top.stdout.matches("\n 2. ").count();
    assert_eq!(listed, 1, "{}", top.stdout);
    assert!(
        top.stderr.contains("going on") || top.outcomes().totals == run.outcomes().totals,
        "verdicts stay"
    );
}

#[test]
fn every_kind_of_function_can_be_observed() {
    let tree = Tree::of("survivor_impact");
    let run = tree.run(&["--impact", "-f", "src/kinds.rs"]).has_code(2);
    let observed = run.outcomes().mutants.iter();
    assert!(observed.filter(|mutant| mutant.impact.is_some()).count() > 3);
    let log = std::fs::read_to_string(tree.output().join("atropos.log")).unwrap();
    assert!(log.contains("observing, round 1"), "{log}");
    assert!(!log.contains("left alone"), "{log}");
    // What keeps `self` borrowed can't be looked at on leaving; nothing else is lost.
    // (The library and its tests are compiled at the same time, and may both be told of it.)
    let rejected = log.lines().filter_map(|line| line.split_once("  E0"));
    let lost: BTreeSet<&str> = rejected.map(|(_, error)| error).collect();
    assert!(lost.len() <= 2, "{log}");
}
