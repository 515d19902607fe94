//! The suite that somebody would write who knows the requirements.

use car_alarm::{CarAlarm, Output};

fn outputs(alarm: &mut CarAlarm) -> Vec<Output> {
    std::iter::from_fn(|| alarm.next_output()).collect()
}

fn wait(alarm: &mut CarAlarm, seconds: u32) {
    for _ in 0..seconds {
        alarm.tick();
    }
}

fn armed() -> CarAlarm {
    let mut alarm = CarAlarm::new();
    alarm.close();
    alarm.lock();
    wait(&mut alarm, 20);
    assert_eq!(outputs(&mut alarm), [Output::ArmedOn]);
    alarm
}

#[test]
fn a_locked_and_closed_car_is_armed_after_twenty_seconds() {
    let mut alarm = CarAlarm::new();
    alarm.close();
    alarm.lock();
    wait(&mut alarm, 19);
    assert!(!alarm.is_armed());
    wait(&mut alarm, 1);
    assert!(alarm.is_armed());
}

#[test]
fn the_order_of_locking_and_closing_does_not_matter() {
    let mut alarm = CarAlarm::new();
    alarm.lock();
    alarm.close();
    wait(&mut alarm, 20);
    assert!(alarm.is_armed());
}

#[test]
fn unlocking_disarms() {
    let mut alarm = armed();
    alarm.unlock();
    assert_eq!(outputs(&mut alarm), [Output::ArmedOff]);
    assert!(!alarm.is_armed());
}

#[test]
fn opening_an_armed_car_sets_off_the_alarm() {
    let mut alarm = armed();
    alarm.open();
    assert_eq!(
        outputs(&mut alarm),
        [Output::ArmedOff, Output::FlashOn, Output::SoundOn]
    );
}

#[test]
fn the_siren_stops_after_half_a_minute_and_the_lights_after_five() {
    let mut alarm = armed();
    alarm.open();
    outputs(&mut alarm);
    wait(&mut alarm, 30);
    assert_eq!(outputs(&mut alarm), [Output::SoundOff]);
    wait(&mut alarm, 270);
    assert_eq!(outputs(&mut alarm), [Output::FlashOff]);
}

#[test]
fn unlocking_ends_the_alarm() {
    let mut alarm = armed();
    alarm.open();
    outputs(&mut alarm);
    alarm.unlock();
    assert_eq!(outputs(&mut alarm), [Output::FlashOff, Output::SoundOff]);
}

#[test]
fn an_unlocked_car_is_never_armed() {
    let mut alarm = CarAlarm::new();
    alarm.close();
    wait(&mut alarm, 100);
    assert!(!alarm.is_armed());
}
