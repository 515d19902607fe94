//! Code that rustc is particular about goes through rollback in few rounds and keeps its mutants.

use atropos_mutants::OperatorSelection;

use crate::support::{Program, compare, reference, weave};

#[test]
fn what_compiles_alone_is_still_there_after_few_rounds() {
    let text = include_str!("../programs/traps.rs");
    let program = Program::new("traps", "2021", OperatorSelection::default(), text);
    let woven = weave(&program);
    assert!(woven.rounds <= 7, "{} rounds", woven.rounds);
    let differences = compare(&program, &woven, &reference(&program, 3));
    // Its type is `&i32` where the original is `i32`; what is around it would take both.
    assert_eq!(
        differences.lost,
        [
            "traps // references through: replace a + **b * 2 with a in `a + **b * 2`: \
          E0308: `match` arms have incompatible types"
        ]
    );
    // Alone, the type of the literal would have to be guessed.
    assert_eq!(
        differences.impossible,
        [
            "traps // durations and other operators wrapped: replace a + Wrapping(250) with \
          Wrapping(250) in `a + Wrapping(250)`: E0277: no implementation for `Wrapping<i32> << i32`"
        ]
    );
}
