//! Tests that start threads: their schedules are explored, findings are replayed, mutants are killed by schedules.

use atropos_protocol::communication::InteractionKind;
use atropos_report::outcomes::{MutantRecord, Outcomes};
use atropos_report::verdict::Verdict;
use serde_json::Value;

use crate::runs::tree::{Run, Tree, verdict};

/// What `explore --json` says of a test.
fn test<'r>(report: &'r Value, name: &str) -> &'r Value {
    let tests = report["tests"].as_array().unwrap().iter();
    let mut found = tests.filter(|test| test["name"] == name);
    found.next().unwrap_or_else(|| panic!("no test {name}"))
}

/// A mutant of a function by what its change is called.
fn find<'o>(outcomes: &'o Outcomes, edit: &str, function: &str) -> &'o MutantRecord {
    let is_meant = |mutant: &&MutantRecord| {
        mutant.info.edit_and_operator().contains(edit) && mutant.info.function == function
    };
    let found = outcomes.mutants.iter().find(is_meant);
    found.unwrap_or_else(|| panic!("no mutant {edit} in {function}"))
}

#[test]
fn explore_tells_of_every_test_what_its_schedules_do_and_replay_shows_it_again() {
    let tree = Tree::of("schedules");
    let explored = tree.run(&["explore", "--json", "-C--offline"]).has_code(2);
    let report: Value = serde_json::from_str(&explored.stdout).unwrap();
    results_are_right(&report);
    what_cant_be_controlled_is_named_with_its_line(&report);
    failing_schedules_are_replayed(&tree);
    // Who names a test wants it explored.
    let named = ["explore", "a_timer_of_the_kernel_goes_on", "-C--offline"];
    tree.run(&named).has_code(5);
    assert_eq!(tree.stray_processes(), [""; 0]);
}

fn results_are_right(report: &Value) {
    let test = |name: &str| test(report, name);
    for (name, result) in [
        ("every_count_is_counted", "passed"),
        ("what_is_put_is_taken", "passed"),
        ("tickets_differ", "passed"),
        ("a_pool_outlives_its_jobs", "passed"),
        ("everybody_who_came_is_counted", "passed"),
        ("one_of_two_sees_the_other", "passed"),
        ("sleeping_takes_no_time_and_keeps_its_order", "passed"),
        ("counts_may_get_lost", "panic"),
        ("swaps_may_wait_for_each_other", "deadlock"),
        ("some_late_orders_fail", "panic"),
        ("a_lock_may_be_poisoned", "poisoned lock"),
        ("a_receiver_may_be_dropped", "dropped channel"),
        ("a_thread_that_nobody_joins_may_panic", "dropped channel"),
    ] {
        assert_eq!(test(name)["result"], result, "{name}");
        if result == "passed" {
            assert_eq!(test(name)["all_schedules"], true, "{name}");
            let schedules = test(name)["schedules"].as_u64().unwrap();
            // Who sleeps comes last: there is nothing to choose.
            let is_ordered = name.starts_with("sleeping");
            assert_eq!(schedules > 1, !is_ordered, "{name}: {schedules}");
        } else {
            assert_eq!(test(name)["found"]["replayed"], true, "{name}");
        }
    }
    let fair = test("who_waits_and_yields_is_fair");
    assert_eq!(fair["coverage"], "all fair schedules");
    assert_eq!(fair["all_schedules"], false);
    for (name, words) in [
        ("swaps_may_wait_for_each_other", "src/mistakes.rs:15"),
        (
            "a_lock_may_be_poisoned",
            "was poisoned by thread 1, which took it at tests/left_behind.rs:13",
        ),
        ("a_receiver_may_be_dropped", "was dropped by thread 1"),
    ] {
        let text = test(name)["found"]["text"].as_str().unwrap();
        assert!(text.contains(words), "{text}");
    }
}

fn what_cant_be_controlled_is_named_with_its_line(report: &Value) {
    let test = |name: &str| test(report, name);
    for (name, what) in [
        (
            "a_timer_of_the_kernel_goes_on",
            "not under control: a timer of the kernel rings again and again at tests/outside.rs:",
        ),
        (
            "a_thread_is_started_by_the_c_library",
            "not under control: an OS thread that nobody controls is started at tests/outside.rs:57:",
        ),
        (
            "a_thread_has_finished_by_then",
            "not under control: how it ends depends on how fast its threads are",
        ),
        (
            "work_takes_time",
            "not under control: how it ends depends on how much time the clock shows",
        ),
        (
            "the_processor_is_asked_for_the_time",
            "not under control: it asks the processor for the time",
        ),
    ] {
        assert_eq!(test(name)["result"], "not explored", "{name}");
        let text = test(name)["uncontrolled"].as_str().unwrap();
        assert!(text.starts_with(what), "{text}");
    }
}

fn failing_schedules_are_replayed(tree: &Tree) {
    let again = tree.run(&["replay", "swaps"]).has_code(2);
    assert!(again.stdout.contains("thread 0") && again.stdout.contains("deadlock:"));
    let line = again
        .stdout
        .lines()
        .find(|line| line.contains("locks left#1"));
    assert!(
        line.unwrap().ends_with("src/mistakes.rs:14"),
        "{}",
        again.stdout
    );
    tree.run(&["replay", "tickets_differ"])
        .has_code(1)
        .says("error: no failing schedule of `tickets_differ`");
    // Nothing was kept of a test that passes; a schedule of it can be run all the same.
    let arguments = [
        "replay",
        "tickets_differ",
        "--schedule",
        "s1:0,0",
        "-C--offline",
    ];
    let passes = tree.run(&arguments).has_code(0);
    assert!(
        passes
            .stdout
            .contains("the test passes under this schedule")
    );
    let arguments = [
        "replay",
        "no_such_test",
        "--schedule",
        "s1:0,0",
        "-C--offline",
    ];
    tree.run(&arguments)
        .has_code(1)
        .says("error: no test has `no_such_test` in its name");
}

#[test]
fn exploring_with_one_process_or_two_gives_the_same_result() {
    let tree = Tree::of("schedules");
    for (jobs, strategy) in [
        ("--jobs=1", "--strategy=exhaustive"),
        ("--jobs=2", "--strategy=exhaustive"),
        ("--jobs=1", "--strategy=stateful"),
        ("--jobs=2", "--strategy=stateful"),
    ] {
        let arguments = ["explore", "two_threads", "--json", jobs, strategy];
        let long = tree.run(&[&arguments[..], &["-C--offline"]].concat());
        let report: Value = serde_json::from_str(&long.has_code(0).stdout).unwrap();
        let test = &report["tests"][0];
        assert_eq!(test["coverage"], "all schedules", "{jobs}");
        assert_eq!(test["schedules"], 3432, "{jobs}");
    }
    let log = std::fs::read_to_string(tree.output().join("atropos.log")).unwrap();
    assert!(
        log.contains("explored two_threads_lock_seven_times_each: all schedules"),
        "{log}"
    );
    for strategy in [
        "",
        "--strategy=random:2000",
        "--strategy=pct:20000,7",
        "--strategy=chess:13",
        "--strategy=stateful:breadth",
    ] {
        let [alone, together] = ["--jobs=1", "--jobs=2"].map(|jobs| {
            let mut arguments = vec!["explore", "some_late", "--json", jobs, "-C--offline"];
            arguments.extend(Some(strategy).filter(|strategy| !strategy.is_empty()));
            let run = tree.run(&arguments).has_code(2);
            let mut report: Value = serde_json::from_str(&run.stdout).unwrap();
            report["tests"][0]["seconds"] = Value::Null;
            report
        });
        assert_eq!(alone, together, "{strategy}");
    }
}

#[test]
fn schedules_kill_mutants_that_ordinary_runs_hardly_ever_notice() {
    let tree = Tree::of("schedules");
    // The tests in `wrong` fail without any mutant, so they decide nothing.
    let run = tree
        .run(&["--impact", "-f", "src/lib.rs", "-C--offline"])
        .has_code(2);
    a_kill_is_told_with_its_schedule(&tree, &run);
    verdicts_are_right(&run);
    what_threads_newly_tell_each_other_ranks_a_survivor(&tree, &run);
    let plain = tree.run(&["-F", "Tickets", "--explore", "off", "-C--offline"]);
    let mut mutants = plain.outcomes().mutants.iter();
    assert!(mutants.all(|mutant| mutant.explored_by.is_empty()));
    assert_eq!(tree.stray_processes(), [""; 0]);
}

fn a_kill_is_told_with_its_schedule(tree: &Tree, run: &Run) {
    let silent = find(run.outcomes(), "delete", "Slot::put");
    assert_eq!(silent.verdict.unwrap().to_string(), "killed (deadlock)");
    let kill = &silent.killed_by[0];
    assert!(kill.schedule.as_ref().unwrap().starts_with("s1:"));
    assert!(
        kill.trace
            .as_ref()
            .unwrap()
            .contains("waits on a condition")
    );
    let id = silent.info.id.0.to_string();
    tree.run(&["replay", "--mutant", &id]).has_code(2);
    let page = tree.run(&["show", &id]).has_code(0);
    assert!(
        page.stdout
            .contains(&format!("cargo atropos replay --mutant {id}"))
    );
}

fn verdicts_are_right(run: &Run) {
    let find = |edit, function| find(run.outcomes(), edit, function);
    // What a cheap test without threads kills is not explored.
    let doubled = find("replace 1 with 2", "Counter::add");
    assert_eq!(run.killers(doubled), ["the_first_count_is_one"]);
    assert_eq!(doubled.killed_by[0].schedule, None);
    assert!(doubled.explored_by.is_empty());
    // Nor is it if the test looks at the clock, and so has to kill twice.
    let one_too_many = find("replace body with 1", "Counter::get");
    let killers = run.killers(one_too_many);
    assert_eq!(killers, ["nothing_is_counted_in_no_time"]);
    assert!(one_too_many.explored_by.is_empty());

    let started_at_two = find("replace 1 with 2", "Tickets::draw");
    assert_eq!(started_at_two.verdict.unwrap().to_string(), "survived");
    assert_eq!(started_at_two.explored_by[0].coverage, "all schedules");

    // No harness takes note of a thread that panics and that nobody joins.
    let unnoticed = find("replace 10 with 0", "send");
    assert_eq!(unnoticed.verdict.unwrap().to_string(), "survived");

    // Ordinary runs hardly ever come to what happens while another thread holds the lock.
    let counted_twice = find("replace 1 with 2", "Door::enter");
    let verdict = counted_twice.verdict.unwrap().to_string();
    assert_eq!(verdict, "killed (panicked)");
    assert_eq!(
        run.killers(counted_twice),
        ["everybody_who_came_is_counted"]
    );
    assert_eq!(counted_twice.reached_by.len(), 1);
}

fn what_threads_newly_tell_each_other_ranks_a_survivor(tree: &Tree, run: &Run) {
    let find = |edit, function| find(run.outcomes(), edit, function);
    // Nobody comes between the two halves of a critical region unless it is split, and no test looks at that.
    let started_at_two = find("replace 1 with 2", "Tickets::draw");
    let split = find("split the critical region", "Slot::take");
    let impact = split.impact.as_ref().expect("threads were listened to");
    let between = &impact.communications[0];
    assert_eq!(
        (between.kind, between.certain),
        (InteractionKind::Between, true)
    );
    let places: Vec<String> = between.acts.iter().map(|act| act.place()).collect();
    assert_eq!(
        places,
        ["src/lib.rs:46", "src/lib.rs:37", "src/lib.rs:42"],
        "{}",
        between.words()
    );
    assert_eq!(between.acts[1].what.as_deref(), Some("number"));
    assert_eq!(impact.score, impact.communications.len());
    let suggestion = impact.suggestion.as_ref().unwrap();
    assert!(suggestion.words.contains("no test asserts what then holds"));
    assert!(
        suggestion
            .code
            .contains("scope.spawn(|| slot.put(number));")
    );
    assert!(split.rank < started_at_two.rank);
    let page = tree
        .run(&["show", &split.info.id.0.to_string()])
        .has_code(0);
    assert!(page.stdout.contains("never in the original: thread"));
}

#[test]
fn an_ordering_that_only_protects_plain_memory_survives_and_the_race_is_told() {
    let tree = Tree::of("schedules");
    let weaker = tree
        .run(&[
            "--impact",
            "--operators=RVK",
            "-f",
            "src/parcel.rs",
            "-C--offline",
        ])
        .has_code(2);
    let outcomes = weaker.outcomes();
    assert_eq!(outcomes.mutants.len(), 2);
    for mutant in &outcomes.mutants {
        assert_eq!(mutant.verdict.unwrap().to_string(), "survived");
        let impact = mutant.impact.as_ref().expect("threads were listened to");
        let [race] = &impact.communications[..] else {
            panic!("{:?}", impact.communications);
        };
        assert_eq!(
            (race.kind, race.certain),
            (InteractionKind::Unordered, true)
        );
        assert_eq!(
            race.words(),
            "nothing orders thread 1's change of `number` (src/parcel.rs:18) and thread 0's use (src/parcel.rs:24) \
             any more"
        );
        let suggestion = impact.suggestion.as_ref().unwrap();
        assert!(suggestion.words.ends_with("Miri may see but no assertion"));
    }
}

#[test]
fn mutants_that_act_alike_are_explored_once_unless_their_schedules_differ() {
    let tree = Tree::of("schedules");
    // Times one is the number itself.
    let sums = ["-F", "fn expected", "--operators=AOR,AOD", "-C--offline"];
    let run = tree.run(&sums);
    let outcomes = run.outcomes();
    let explored = |edit: &str| {
        let mut mutants = outcomes.mutants.iter();
        let mutant = mutants.find(|mutant| mutant.info.edit_and_operator().contains(edit));
        let mutant = mutant.unwrap_or_else(|| panic!("no mutant {edit}"));
        assert_eq!(mutant.verdict, Some(Verdict::Survived), "{edit}");
        let by = mutant.explored_by.iter();
        by.map(|one| one.schedules).sum::<u64>()
    };
    let changes = ["with more", "with -", "with *", "with count"];
    let [more, minus, times, count] = changes.map(explored);
    assert!(times > 0 && times == count);
    let explorations = outcomes.explorations.iter();
    let together: u64 = explorations.map(|one| one.mutants.schedules).sum();
    assert_eq!(together, more + minus + times);

    // But one that makes a difference under more schedules than another does not share its result.
    for strategy in ["exhaustive", "chess:1", "random:20"] {
        let arguments = ["-F", "fn total", "--operators=AOR", "--explore", strategy];
        let run = tree.run(&[&arguments[..], &["-C--offline"]].concat());
        let verdict = |edit: &str| {
            let mut mutants = run.outcomes().mutants.iter();
            let mutant = mutants.find(|mutant| mutant.info.edit_and_operator().contains(edit));
            mutant.unwrap_or_else(|| panic!("no mutant {edit}")).verdict
        };
        assert_eq!(verdict("with -"), Some(Verdict::Survived), "{strategy}");
        let times = verdict("with *");
        assert!(matches!(times, Some(Verdict::Killed(_))), "{strategy}");
    }
}

#[test]
fn a_test_that_fails_under_some_schedule_comes_first_and_decides_nothing() {
    let tree = Tree::of("schedules");
    let run = tree
        .run(&["-f", "src/mistakes.rs", "-C--offline"])
        .has_code(4);
    run.says("error: counts_may_get_lost (test wrong) fails under some schedule");
    // On a busy machine it may do so before any schedule is explored.
    let by_chance = "warning: test wrong swaps_may_wait_for_each_other passes and fails by chance";
    if !run.stderr.contains(by_chance) {
        run.says("error: swaps_may_wait_for_each_other (test wrong) fails under some schedule");
    }
    run.says("to run it again: cargo atropos replay counts_may_get_lost");
    let outcomes = run.outcomes();
    let mut findings = outcomes.findings.iter();
    let name = |test: usize| outcomes.tests[test].name.as_str();
    let finding = findings.find(|finding| name(finding.test) == "counts_may_get_lost");
    let finding = finding.expect("it is among the outcomes, too");
    assert!(finding.schedule.is_some() && finding.trace.contains("loads count (0)"));
    let page = tree.read("target/atropos/report.html");
    assert!(page.contains("<section id=\"findings\">"));
    assert!(page.contains(
        "<code class=\"copy\">cargo atropos replay counts_may_get_lost</code> runs it again"
    ));
    let undecided = outcomes
        .mutants
        .iter()
        .filter(|mutant| mutant.verdict == Some(Verdict::Undecided));
    assert!(undecided.clone().count() > 0);
    for mutant in undecided {
        let note = mutant.note.as_ref().unwrap();
        assert!(note.starts_with("undecided: "), "{note}");
    }
}

/// In most schedules of it threads start others that earlier schedules did not have, and each process that explores a part of
/// them has numbers of its own for these.
const THREADS_START_THREADS: &str = "
use std::sync::Mutex;
use std::thread;

#[test]
fn threads_start_threads() {
    let log = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for me in 0..2 {
            let log = &log;
            scope.spawn(move || {
                for _ in 0..3 {
                    log.lock().unwrap().push(me);
                }
                let others = log.lock().unwrap().iter().filter(|other| **other != me).count();
                for _ in 0..others {
                    scope.spawn(|| log.lock().unwrap().push(2));
                }
            });
        }
    });
}
";

#[test]
fn processes_agree_on_the_numbers_of_threads() {
    let tree = Tree::of("schedules");
    tree.write("tests/nested.rs", THREADS_START_THREADS);
    let explored = tree.run(&[
        "explore",
        "threads_start_threads",
        "--json",
        "--strategy=chess:1",
        "--budget=1000,2s",
        "-C--offline",
    ]);
    let report: Value = serde_json::from_str(&explored.has_code(0).stdout).unwrap();
    assert_eq!(report["tests"][0]["result"], "passed", "{report}");
}

/// Under control these never end, and they have no other schedule.
const UNBEARABLE: &str = r#"
use schedules::Counter;

fn wait_under_control() {
    let program = std::env::current_exe().unwrap();
    while program.to_string_lossy().contains("explored-build") {}
}

#[test]
fn one_is_counted() {
    wait_under_control();
    assert_eq!(Counter::default().add(), 1);
}

#[test]
fn two_are_counted() {
    wait_under_control();
    let counter = Counter::default();
    counter.add();
    assert_eq!(counter.add(), 2);
}
"#;

#[test]
fn a_program_that_does_not_bear_control_is_tried_once_for_tests_without_threads() {
    let tree = Tree::of("schedules");
    tree.write("tests/unbearable.rs", UNBEARABLE);
    let arguments = ["-F", "Counter::add", "--operators=concurrency", "--no-doc"];
    let run = tree.run(&[&arguments[..], &["-C--offline"]].concat());
    let told = run
        .stderr
        .matches("does not come to an end within 5 s")
        .count();
    assert_eq!(told, 1, "{}", run.stderr);
    let mutants = &run.outcomes().mutants;
    assert!(mutants.iter().all(|mutant| mutant.verdict.is_some()));
}

/// Each of two threads starts helpers. With a second helper for each, which the original never has, the process is ended if the
/// late thread's comes before all others.
const HELPERS_END_THE_PROCESS: &str = "
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

#[test]
fn helpers_of_the_late_thread() {
    let first = Mutex::new(0);
    let came = AtomicBool::new(false);
    thread::scope(|scope| {
        for me in 1..=2 {
            let (first, came) = (&first, &came);
            scope.spawn(move || {
                let mut first = first.lock().unwrap();
                if *first == 0 {
                    *first = me;
                }
                let is_late = *first == 2 && me == 2;
                for helper in 0..schedules::helpers() {
                    scope.spawn(move || {
                        if !came.swap(true, SeqCst) && is_late && helper == 1 {
                            std::process::abort();
                        }
                    });
                }
            });
        }
    });
}
";

fn with_helpers() -> Tree {
    let tree = Tree::of("schedules");
    let lib = tree.read("src/lib.rs") + "\npub fn helpers() -> u32 {\n    1\n}\n";
    tree.write("src/lib.rs", &lib);
    tree
}

#[test]
fn the_schedule_of_a_crash_is_told_in_numbers_that_every_process_has() {
    let tree = with_helpers();
    tree.write("tests/helpers.rs", HELPERS_END_THE_PROCESS);
    let helpers = ["-F", "fn helpers", "-C--offline", "--", "helpers"];
    for how in [&["--explore=exhaustive"][..], &["--explore=random:200"]] {
        let run = tree.run(&[how, &helpers].concat());
        let more = run.mutant("src/lib.rs", "helpers", "replace 1 with 2");
        assert_eq!(verdict(more), "killed (crashed)");
        let trace = more.killed_by[0].trace.as_ref().unwrap();
        assert!(
            trace.contains("thread 4: goes on, and the test died"),
            "{trace}"
        );
        let again = tree.run(&["replay", "--mutant", &more.info.id.0.to_string()]);
        let dies = "helpers_of_the_late_thread (test helpers): its process dies";
        again.has_code(2).says(dies);
    }
}

/// Passes if the quick thread gets a hundred turns among ten thousand of the busy one, after which time is hurried.
const QUICK_AND_BUSY: &str = "
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

#[test]
fn the_quick_one_is_done_by_then() {
    let [busy, quick] = [0, 0].map(|count| Arc::new(AtomicU32::new(count)));
    let count = |count: &Arc<AtomicU32>, times| {
        let count = count.clone();
        thread::spawn(move || (0..times).for_each(|_| drop(count.fetch_add(1, SeqCst))));
    };
    count(&busy, 20_000);
    count(&quick, 100 * schedules::helpers());
    thread::sleep(Duration::from_millis(500));
    assert_eq!(quick.load(SeqCst), 100);
}
";

/// A mutant's quick thread ends at once, and the schedule lets nobody but the busy one go on then. The original's quick
/// thread has hardly begun when time is hurried there.
#[test]
fn an_original_that_only_fails_because_time_was_hurried_is_not_said_to_fail() {
    let tree = with_helpers();
    tree.write("tests/hurried.rs", QUICK_AND_BUSY);
    let arguments = ["-F", "fn helpers", "--explore=random:1", "-C--offline"];
    let run = tree.run(&[&arguments[..], &["--", "the_quick"]].concat());
    let run = run.has_code(0);
    let none = run.mutant("src/lib.rs", "helpers", "replace body with 0");
    assert_eq!(verdict(none), "killed (panicked)");
    assert_eq!(none.killed_by[0].schedule, None);
    let coverage = &none.explored_by[0].coverage;
    let why = "where it fails, so does the original; not under control: how it ends depends on how fast its threads are";
    assert!(coverage.contains(why), "{coverage}");
}
