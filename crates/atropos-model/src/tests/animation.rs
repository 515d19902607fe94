//! `model run` by script.

use crate::animation::Animation;
use crate::execution::Interpreted;
use crate::tests::support::{example, load};

#[test]
fn a_script_walks_through_the_car_alarm() {
    let model = load(&example("car_alarm.ooas"));
    let mut out = Vec::new();
    let engine = Box::new(Interpreted {
        model: model.clone(),
    });
    let script = "Lock # by name\nctr Close\nstate\nwait\n1\nOpen\nbogus\nreset\nquit\n";
    let fine = Animation::new(model, engine, 1, &mut out)
        .run(&mut script.as_bytes(), false)
        .expect("no I/O");
    assert!(fine);
    insta::assert_snapshot!(String::from_utf8(out).expect("text"));
}

#[test]
fn a_model_that_fails_says_where() {
    let text = crate::tests::support::class(
        "",
        "var a: int[0..1] actions ctr up = requires true: a := a + 1 end do up() od",
    );
    let model = load(&text);
    let mut out = Vec::new();
    let engine = Box::new(Interpreted {
        model: model.clone(),
    });
    let fine = Animation::new(model, engine, 1, &mut out)
        .run(&mut "up\nup\n".as_bytes(), false)
        .expect("no I/O");
    assert!(!fine);
    let text = String::from_utf8(out).expect("text");
    assert!(text.contains("outside its type's range at 4:"), "{text}");
}
