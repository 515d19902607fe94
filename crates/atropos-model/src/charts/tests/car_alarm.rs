//! The car alarm: both charts behave as the model written by hand.

use super::{animate, animate_model, compare};

const BY_HAND: &str = include_str!("../../../../../examples/models/car_alarm.ooas");
const SCXML: &str = include_str!("../../../../../examples/models/car_alarm.scxml");
const PLANTUML: &str = include_str!("../../../../../examples/models/car_alarm.puml");

#[test]
fn the_scxml_car_alarm_shows_the_suspension_behaviour_of_the_handwritten_one() {
    let compared = compare(&animate("car_alarm.scxml", SCXML), &animate_model(BY_HAND));
    assert!(
        compared.as_ref().is_ok_and(|&pairs| pairs >= 20),
        "{compared:?}"
    );
}

#[test]
fn the_plantuml_car_alarm_shows_the_suspension_behaviour_of_the_handwritten_one() {
    let compared = compare(
        &animate("car_alarm.puml", PLANTUML),
        &animate_model(BY_HAND),
    );
    assert!(
        compared.as_ref().is_ok_and(|&pairs| pairs >= 20),
        "{compared:?}"
    );
}

#[test]
fn a_car_alarm_that_waits_21_seconds_is_told_from_the_right_one() {
    let late = SCXML.replace("\"20s\"", "\"21s\"");
    let difference = compare(&animate("car_alarm.scxml", &late), &animate_model(BY_HAND));
    assert!(difference.is_err_and(|trace| trace.contains("after(21)")));
}

#[test]
fn flash_and_sound_come_in_any_order_and_sound_stops_first() {
    let alarm = animate("car_alarm.scxml", SCXML);
    let armed = "Close Lock !after(20) !ArmedOn";
    alarm.shows(armed, "Open Unlock delta");
    alarm.shows(&format!("{armed} Open"), "!ArmedOff");
    alarm.shows(&format!("{armed} Open !ArmedOff"), "!FlashOn !SoundOn");
    let ringing = format!("{armed} Open !ArmedOff !SoundOn !FlashOn");
    alarm.shows(&ringing, "!after(30) Unlock");
    alarm.shows(&format!("{ringing} !after(30)"), "!SoundOff");
    alarm.shows(
        &format!("{ringing} !after(30) !SoundOff"),
        "!after(270) Unlock",
    );
    alarm.shows(
        &format!("{ringing} Unlock !FlashOff !SoundOff"),
        "Close Lock delta",
    );
    alarm.shows(
        &format!("{ringing} !after(30) !SoundOff !after(270) !FlashOff"),
        "Close Unlock delta",
    );
}

#[test]
fn the_translated_text_names_its_states_and_keeps_its_layout() {
    let chart = crate::charts::scxml::read("car_alarm.scxml", SCXML).expect("a good chart");
    let text = crate::charts::translate(&chart);
    for line in [
        "  # The states of the machine CarAlarm.\n",
        "      # The input Unlock.\n      ctr Unlock =\n",
        "          # in Alarm\n          requires state = t_CarAlarm.Alarm:\n            exit_Alarm();\n",
        "          # 20 after ClosedAndLocked was entered\n",
        "      obs after(passed: t_Time) =\n",
    ] {
        assert!(text.contains(line), "{line}\nis missing in\n{text}");
    }
}
