//! Compiled code against the interpreter on the examples.

use crate::support::{engines_agree, example, load};

#[test]
fn compiled_code_agrees_with_the_interpreter_on_the_car_alarm() {
    let model = load(&example("car_alarm.ooas"));
    assert!(engines_agree(&model, 200) > 10);
}
