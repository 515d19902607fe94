//! Every edition, and crates that forbid what woven code might be thought to need.

use std::process::Command;

use atropos_mutants::OperatorSelection;

use crate::support::{Program, compile_original, run, weave};

#[test]
fn panics_and_macros_name_the_same_lines() {
    let text = include_str!("../programs/places.rs");
    let program = Program::new("places", "2021", OperatorSelection::default(), text);
    let original = run(Command::new(compile_original(&program)).arg("all"));
    assert!(
        original.stdout.contains("panic at s0.rs:5"),
        "{original:#?}"
    );
    assert_eq!(weave(&program).run_original(), original);
}

#[test]
fn a_crate_of_2015_finds_the_runtime_from_every_module() {
    let text = include_str!("../programs/old.rs");
    let program = Program::new("old", "2015", OperatorSelection::default(), text);
    let woven = weave(&program);
    let original = run(Command::new(compile_original(&program)).arg("all"));
    assert_eq!(woven.run_original(), original);
    let all = program.all_mutants().count();
    assert!(
        woven.alive().len() > all * 9 / 10,
        "{} of {all}",
        woven.alive().len()
    );
}
