//! Random data: it differs from call to call and between the schedules of a sample, and is the same whenever a schedule is
//! run again.

use std::collections::HashMap;
use std::ffi::c_void;
use std::ops::ControlFlow;

use atropos_threads::atropos_search::{
    ExecutionEnd, Exhaustive, Mixed, SampleSpec, Uniform, explore as search,
};
use atropos_threads::{ThreadedTest, explore, replay, say, survey, thread};

use crate::alone::{alone, ends, sc};

unsafe extern "C" {
    fn getrandom(buffer: *mut c_void, length: usize, flags: u32) -> isize;
}

fn random_number() -> u64 {
    let mut bytes = [0_u8; 8];
    // SAFETY: the buffer has eight bytes.
    assert_eq!(unsafe { getrandom(bytes.as_mut_ptr().cast(), 8, 0) }, 8);
    u64::from_ne_bytes(bytes)
}

/// Two random numbers, as those of two UUIDs.
fn two_numbers() {
    let other = thread::spawn(random_number);
    let (one, two) = (random_number(), random_number());
    let three = other.join().unwrap();
    assert!(one != two && two != three && one != three);
    say(&format!("{one} {two} {three}"));
}

/// The first key of a map: one of eight.
fn first_of_a_map() {
    let map: HashMap<u32, ()> = (0..8).map(|key| (key, ())).collect();
    say(&format!("{}", map.keys().next().unwrap()));
}

#[test]
fn random_bytes_differ_from_call_to_call_and_are_the_same_in_all_schedules_of_a_search() {
    alone(|| assert_eq!(ends(&two_numbers, &sc()).len(), 1));
    alone(|| assert_eq!(ends(&first_of_a_map, &sc()).len(), 1));
}

#[test]
fn each_schedule_of_a_sample_has_other_random_data() {
    alone(|| {
        let (ends, _) = survey(
            &two_numbers,
            &sc(),
            &mut Uniform::new(SampleSpec::new(20, 7)),
        );
        assert_eq!(ends.len(), 20, "{ends:?}");
    });
    alone(|| {
        let (ends, _) = survey(
            &first_of_a_map,
            &sc(),
            &mut Mixed::new(SampleSpec::new(100, 7)),
        );
        assert!(ends.len() > 4, "{ends:?}");
    });
}

#[test]
fn a_failure_that_depends_on_the_order_of_a_map_is_found_and_fails_again() {
    let test = || {
        let map: HashMap<u32, ()> = (0..8).map(|key| (key, ())).collect();
        let usual = map.keys().next().unwrap() % 4;
        let other = thread::spawn(move || assert_ne!(usual, 1));
        other.join().unwrap();
    };
    alone(move || {
        let go_on =
            &mut |_: &dyn atropos_threads::atropos_search::Strategy| ControlFlow::Continue(());
        let all = explore(&test, &sc(), &mut Exhaustive::new(), go_on);
        assert!(all.failure.is_none(), "the order that all searches have");
        let report = explore(
            &test,
            &sc(),
            &mut Mixed::new(SampleSpec::new(100, 7)),
            go_on,
        );
        let failure = report.failure.expect("some order fails");
        assert!(failure.schedule.to_string().starts_with("s1:="));
        let (end, ..) = replay(&test, &sc(), &failure.schedule);
        assert!(matches!(end, ExecutionEnd::Failed(_)), "{end:?}");
    });
}

#[test]
fn an_execution_tells_whether_the_program_asked_for_random_data() {
    let asks = |body: fn()| {
        let asked = move || {
            let mut test = ThreadedTest::new(&body, &sc());
            let last = test.last();
            search(&mut test, &mut Exhaustive::new());
            last.borrow().asked_for_random_data
        };
        asked()
    };
    alone(move || assert!(asks(two_numbers)));
    alone(move || assert!(asks(first_of_a_map)));
    alone(move || assert!(!asks(|| thread::spawn(|| ()).join().unwrap())));
}
