//! Compiled code against the interpreter on the examples.

use crate::tests::support::{EXAMPLES, engines_agree, example_model, load};

#[test]
fn compiled_code_agrees_with_the_interpreter_on_every_example() {
    for name in EXAMPLES {
        let limit = if name == "car_alarm.ooas" { 200 } else { 12 };
        let states = engines_agree(&example_model(name), limit);
        assert!(states > 10, "{name}: {states}");
    }
}

/// Whether what stands to the right of `//` is enabled depends on the inputs to its left, but not on what follows it.
#[test]
fn the_engines_agree_on_inputs_in_and_behind_a_priority() {
    let text = "types
          V = int[0..3];
          S = autocons system |[
            var l: list[4] of V = [0, 1, 3]; q: V = 0
            actions
              ctr Give(v: V) = requires v in l: l[0], q := v, if v > 1 then 1 else 0 end end;
              obs Echo(v: V) = requires l[0] = v and q <> 3: q := 3 end;
              ctr Any(v: V) =
                requires true: l, q := [x | var x: V & x <> v], v with q = v and q not in l end
            do
              (var v: V: Give(v) [] var v: V: Echo(v) [] Any(1)) //
              (requires q = 1: skip end [] requires q < 3: skip end // skip); (Give(0) [] Any(2))
            od
          ]|
        system S";
    let states = engines_agree(&load(text), 100);
    assert!(states > 4, "{states}");
}
