//! A woven program does what the original does, and with a mutant active what that edit alone does.

use atropos_mutants::OperatorSelection;

use crate::support::{Differences, Program, compare, reference, weave};

#[test]
fn ordinary_code_behaves_the_same_with_every_mutant() {
    let text = include_str!("../programs/everyday.rs");
    let program = Program::new("everyday", "2021", OperatorSelection::all(), text);
    let woven = weave(&program);
    println!(
        "{} mutants, {} alive, {} rounds",
        program.all_mutants().count(),
        woven.alive().len(),
        woven.rounds
    );
    let differences = compare(&program, &woven, &reference(&program));
    assert_eq!(differences, Differences::default());
}
