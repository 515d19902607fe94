//! Every concurrency operator makes a mutant that a good test kills under exploration, and that a weak test, which
//! runs the same code, lets survive.

use atropos_mutants::{Category, Operator};

use crate::runs::tree::Tree;

#[test]
fn every_concurrency_operator_is_killed_by_a_good_test_and_survives_a_weak_one() {
    let tree = Tree::of("concurrency_operators");
    let run = tree
        .run(&["--operators", "concurrency", "--kill-matrix", "-C--offline"])
        .has_code(2);
    let outcomes = run.outcomes();
    let place = |test: usize| {
        let test = &outcomes.tests[test];
        (test.target.as_str(), test.name.as_str())
    };
    let operators = Operator::all().filter(|o| o.category() == Category::Concurrency);
    let own = operators.map(|operator| (operator, operator.code().to_lowercase()));
    let more = [
        (Operator::Rvk, "lazy".to_string()),
        (Operator::Rvk, "named".to_string()),
        (Operator::Rcxc, "lone".to_string()),
    ];
    for (operator, name) in own.chain(more) {
        let file = format!("src/{name}.rs");
        let mutants: Vec<_> = outcomes
            .mutants
            .iter()
            .filter(|mutant| mutant.info.operator == operator && mutant.info.file == file)
            .collect();
        let shows_it = mutants.iter().find(|mutant| {
            let kills = |target: &str| {
                let mut kills = mutant.killed_by.iter();
                kills.any(|kill| place(kill.test) == (target, name.as_str()))
            };
            let is_explored_by_weak = mutant
                .explored_by
                .iter()
                .any(|explored| place(explored.test) == ("test weak", name.as_str()));
            kills("test good") && !kills("test weak") && is_explored_by_weak
        });
        let seen: Vec<String> = mutants
            .iter()
            .map(|mutant| format!("{} {:?}", mutant.info.summary, mutant.verdict))
            .collect();
        let shows_it = shows_it.unwrap_or_else(|| panic!("{operator}: {seen:#?}"));
        // The good test says under which schedule, in words.
        let kill = shows_it
            .killed_by
            .iter()
            .find(|kill| place(kill.test).0 == "test good")
            .unwrap();
        assert!(
            kill.trace
                .as_ref()
                .is_some_and(|trace| trace.contains("thread 0")),
            "{operator}"
        );
        assert!(kill.schedule.is_some(), "{operator}");
    }

    assert!(tree.replay_kills(&run) > 25);

    // A mutant that takes the process down shows its schedule, too, and that can be run again.
    let mut fatal = outcomes.mutants.iter().filter(|mutant| {
        mutant.info.file == "src/fatal.rs" && mutant.info.operator.code() == "EAN"
    });
    let fatal = fatal.next().expect("the swap is split");
    assert_eq!(fatal.verdict.unwrap().to_string(), "killed (crashed)");
    let kill = &fatal.killed_by[0];
    assert!(kill.schedule.as_ref().unwrap().starts_with("s1:"));
    let trace = kill.trace.as_ref().unwrap();
    assert!(trace.contains("stores "), "{trace}");
    assert!(trace.contains("the test died of signal 6"), "{trace}");
    let id = fatal.info.id.0.to_string();
    let again = tree.run(&["replay", "--mutant", &id]).has_code(2);
    assert!(
        again
            .stdout
            .contains("its process dies under this schedule"),
        "{}",
        again.stdout
    );
    let page = tree.run(&["show", &id]).has_code(0);
    assert!(
        page.stdout
            .contains(&format!("cargo atropos replay --mutant {id}"))
    );

    // What random schedules let pass is run as it is, too: luck that a plain run has is not lost.
    let run = tree.run(&[
        "-f",
        "src/fatal.rs",
        "--explore",
        "random:3",
        "--no-impact",
        "-C--offline",
        "--",
        "ordinary",
    ]);
    let sampled = run.outcomes();
    let mut taken = sampled
        .mutants
        .iter()
        .filter(|mutant| mutant.info.summary == "replace body with false");
    let taken = taken.next().expect("a body can be replaced");
    assert_eq!(taken.verdict.unwrap().to_string(), "killed (panicked)");
    assert_eq!(taken.killed_by[0].schedule, None);
    assert_eq!(taken.explored_by[0].schedules, 6);

    // Two orderings at once, through the same switch; the schedule that kills them can be run again.
    let run = tree.run(&[
        "--operators",
        "RVK",
        "-f",
        "src/rvk.rs",
        "--order",
        "2",
        "-C--offline",
        "--",
        "rvk",
    ]);
    let outcomes = run.outcomes();
    let pair = outcomes.mutants.last().unwrap();
    assert!(
        pair.info.summary.contains(", and in line "),
        "{}",
        pair.info.summary
    );
    assert!(pair.verdict.unwrap().is_killed());
    assert!(pair.killed_by[0].schedule.is_some());
    let id = pair.info.id.0.to_string();
    tree.run(&["replay", "--mutant", &id]).has_code(2);
    assert_eq!(tree.stray_processes(), [""; 0]);
}
