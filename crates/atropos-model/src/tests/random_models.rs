//! Compiled code against the interpreter on random models.

pub use crate::synthetic::random_model as generated;
use crate::tests::support::{engines_agree, load};

#[test]
fn compiled_code_agrees_with_the_interpreter_on_generated_models() {
    for seed in 0..12 {
        let model = load(&generated(seed));
        engines_agree(&model, 12);
    }
}
