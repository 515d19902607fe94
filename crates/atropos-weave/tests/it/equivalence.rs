//! A woven program does what the original does, and with a mutant active what that edit alone does.

use atropos_mutants::OperatorSelection;

use crate::support::{Differences, Program, compare, reference, weave};

fn differences(program: &Program) -> Differences {
    compare(program, &weave(program), &reference(program, 1))
}

#[test]
fn ordinary_code_behaves_the_same_with_every_mutant() {
    let text = include_str!("../programs/everyday.rs");
    let program = Program::new("everyday", "2021", OperatorSelection::default(), text);
    assert_eq!(differences(&program), Differences::default());
}

#[test]
fn numbers_alone_behave_the_same() {
    let operators = || OperatorSelection::parse(&["CRP"]).unwrap();
    for (name, text) in [
        ("everyday", include_str!("../programs/everyday.rs")),
        ("drops", include_str!("../programs/drops.rs")),
        ("traps", include_str!("../programs/traps.rs")),
    ] {
        let program = Program::new(name, "2021", operators(), text);
        assert_eq!(differences(&program), Differences::default());
    }
}

#[test]
fn mutants_that_copy_or_replace_variables_behave_the_same() {
    let text = include_str!("../programs/variables.rs");
    let operators = OperatorSelection::parse(&["extended"]).unwrap();
    let program = Program::new("variables", "2024", operators, text);
    assert_eq!(differences(&program), Differences::default());
}

#[test]
fn nothing_is_dropped_earlier_or_later() {
    let text = include_str!("../programs/drops.rs");
    for edition in ["2021", "2024"] {
        let program = Program::new("drops", edition, OperatorSelection::default(), text);
        let differences = differences(&program);
        assert_eq!(differences.lost, [] as [&str; 0]);
        // Without its only `break`, a loop has another type; woven, the `break` is still there.
        let [impossible] = differences.impossible.as_slice() else {
            panic!("{differences:#?}");
        };
        assert!(impossible.starts_with("drops // early ends broken: delete if Noisy::new(turns)"));
    }
}

#[test]
fn mutants_of_locks_channels_and_atomics_behave_the_same() {
    let text = include_str!("../programs/threads.rs");
    let operators = OperatorSelection::parse(&["concurrency"]).unwrap();
    let program = Program::new("threads", "2024", operators, text);
    assert_eq!(differences(&program), Differences::default());
}
