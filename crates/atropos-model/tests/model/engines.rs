//! Compiled code against the interpreter on the examples.

use crate::support::{EXAMPLES, engines_agree, example_model};

#[test]
fn compiled_code_agrees_with_the_interpreter_on_every_example() {
    for name in EXAMPLES {
        let limit = if name == "car_alarm.ooas" { 200 } else { 12 };
        let states = engines_agree(&example_model(name), limit);
        assert!(states > 10, "{name}: {states}");
    }
}
