//! What code states about itself with the macros of the crate `atropos` counts under `explore`: invariants after every step, what
//! some schedule has to reach, and bounds. Traces name what is locked, pictures are drawn, files in a test's own directory are put
//! back, and what has changed is explored first.

use std::process::Command;

use serde_json::Value;

use crate::runs::tree::Tree;

const LIB: &str = "\
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

#[derive(Default)]
pub struct Room {
    pub inside: AtomicU32,
    pub visitors: Mutex<u32>,
}

impl Room {
    /// Two may look before either has entered.
    pub fn enter(&self) {
        if self.inside.load(SeqCst) == 0 {
            self.inside.fetch_add(1, SeqCst);
            self.inside.fetch_sub(1, SeqCst);
        } else {
            atropos::reached!(\"somebody found it full\");
        }
    }

    pub fn enter_alone(&self) {
        let mut visitors = self.visitors.lock().unwrap();
        self.enter();
        *visitors += 1;
    }
}
";

const TESTS: &str = "\
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

use stated::Room;

fn two(enter: fn(&Room)) {
    let room = Arc::new(Room::default());
    let seen = room.clone();
    atropos::invariant!(\"at most one is inside\", move || seen.inside.load(SeqCst) <= 1);
    let other = room.clone();
    let thread = thread::spawn(move || enter(&other));
    enter(&room);
    thread.join().unwrap();
}

#[test]
fn two_may_be_inside() {
    two(Room::enter);
}

#[test]
fn one_at_a_time_is_inside() {
    two(Room::enter_alone);
}

#[test]
fn somebody_may_find_it_full() {
    atropos::must_reach!(\"somebody found it full\");
    let room = Arc::new(Room::default());
    let other = room.clone();
    let thread = thread::spawn(move || other.enter());
    room.enter();
    thread.join().unwrap();
}

#[test]
fn nobody_who_is_alone_finds_it_full() {
    atropos::must_reach!(\"somebody found it full\");
    let room = Arc::new(Room::default());
    let other = room.clone();
    let thread = thread::spawn(move || other.enter_alone());
    room.enter_alone();
    thread.join().unwrap();
}

#[test]
fn no_more_than_one_preemption() {
    atropos::bounds!(preemptions = 1);
    let count = Arc::new(AtomicU32::new(0));
    let other = count.clone();
    let thread = thread::spawn(move || (0..4).for_each(|_| { other.fetch_add(1, SeqCst); }));
    (0..4).for_each(|_| { count.fetch_add(1, SeqCst); });
    thread.join().unwrap();
}

#[test]
fn every_schedule_finds_its_own_directory_empty() {
    let path = std::env::temp_dir().join(\"made\");
    std::fs::create_dir(&path).unwrap();
    let (first, second) = (path.join(\"first\"), path.join(\"second\"));
    let other = first.clone();
    let count = Arc::new(AtomicU32::new(0));
    let seen = count.clone();
    let thread = thread::spawn(move || {
        std::fs::write(&other, \"1\").unwrap();
        seen.fetch_add(1, SeqCst);
    });
    if count.load(SeqCst) == 1 {
        std::fs::rename(&first, &second).unwrap();
        std::fs::remove_file(&second).unwrap();
    }
    thread.join().unwrap();
}

#[test]
fn files_elsewhere_are_left_alone() {
    std::fs::write(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/written\"), \"1\").unwrap();
}

/// Of changes to different objects each order counts: the invariant is broken in one of two.
#[test]
fn the_first_is_set_before_the_second() {
    static FIRST: AtomicU32 = AtomicU32::new(0);
    static SECOND: AtomicU32 = AtomicU32::new(0);
    atropos::invariant!(\"the second comes second\", || FIRST.load(SeqCst) >= SECOND.load(SeqCst));
    let thread = thread::spawn(|| SECOND.store(1, SeqCst));
    FIRST.store(1, SeqCst);
    thread.join().unwrap();
}
";

fn tree() -> Tree {
    let atropos = concat!(env!("CARGO_MANIFEST_DIR"), "/../atropos");
    let manifest = format!(
        "[package]\nname = \"stated\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n\
         [dependencies]\natropos = {{ path = {atropos:?} }}\n"
    );
    Tree::with(&[
        ("Cargo.toml", &manifest),
        ("src/lib.rs", LIB),
        ("tests/room.rs", TESTS),
    ])
}

#[test]
fn what_code_states_holds_under_every_schedule_or_the_test_fails() {
    let tree = tree();
    let explored = tree.run(&["explore", "--json", "-C--offline"]).has_code(2);
    let report: Value = serde_json::from_str(&explored.stdout).unwrap();
    let test = |name: &str| {
        let mut tests = report["tests"].as_array().unwrap().iter();
        tests.find(|test| test["name"] == name).unwrap()
    };
    for (name, result) in [
        ("two_may_be_inside", "broken invariant"),
        ("the_first_is_set_before_the_second", "broken invariant"),
        ("one_at_a_time_is_inside", "passed"),
        ("somebody_may_find_it_full", "passed"),
        ("nobody_who_is_alone_finds_it_full", "not reached"),
        ("no_more_than_one_preemption", "passed"),
        ("every_schedule_finds_its_own_directory_empty", "passed"),
        ("files_elsewhere_are_left_alone", "not explored"),
    ] {
        assert_eq!(test(name)["result"], result, "{name}: {}", test(name));
    }
    let with_files = test("every_schedule_finds_its_own_directory_empty");
    assert_eq!(with_files["all_schedules"], true);
    assert!(with_files["schedules"].as_u64().unwrap() > 1);
    assert!(!tree.path().join("written").exists());
    let broken = &test("two_may_be_inside")["found"];
    assert_eq!(broken["title"], "broken invariant: at most one is inside");
    assert_eq!(broken["replayed"], true);
    let text = broken["text"].as_str().unwrap();
    assert!(text.contains("stated at tests/room.rs:10"), "{text}");
    assert!(text.contains("which was last at src/lib.rs:14"), "{text}");
    let trace = broken["trace"].as_str().unwrap();
    assert!(trace.contains("modifies Room.inside (1 → 2)"), "{trace}");
    let bounded = test("no_more_than_one_preemption")["coverage"].as_str();
    assert!(bounded.unwrap().contains("1 preemption"), "{bounded:?}");
    pictures_are_drawn(&tree, &report);
    what_reaches_changed_code_comes_first(&tree);
}

fn git(tree: &Tree, arguments: &[&str]) {
    let identity = [
        "-c",
        "user.name=Somebody",
        "-c",
        "user.email=somebody@example.org",
    ];
    let mut command = Command::new("git");
    command
        .current_dir(tree.path())
        .args(identity)
        .args(arguments);
    let output = command.output().expect("git starts");
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
}

fn what_reaches_changed_code_comes_first(tree: &Tree) {
    git(tree, &["init", "-q"]);
    git(tree, &["add", "Cargo.toml", "src", "tests"]);
    git(tree, &["commit", "-qm", "start"]);
    let names = |revision: &str, note: &str| -> Vec<String> {
        let arguments = ["explore", "--since", revision, "--json", "-C--offline"];
        let explored = tree.run(&arguments).has_code(2);
        explored.says(note);
        let report: Value = serde_json::from_str(&explored.stdout).unwrap();
        let tests = report["tests"].as_array().unwrap().iter();
        tests
            .map(|test| test["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let usual = names("HEAD", "note: 0 of 8 tests reach what changed since `HEAD`");
    tree.edit("src/lib.rs", "*visitors += 1;", "*visitors += 2;");
    let changed = names("HEAD", "note: 2 of 8 tests reach what changed since `HEAD`");
    let reaching = [
        "nobody_who_is_alone_finds_it_full",
        "one_at_a_time_is_inside",
    ];
    assert_eq!(changed[..2], reaching);
    let others = usual
        .into_iter()
        .filter(|name| !reaching.contains(&name.as_str()));
    assert_eq!(changed[2..], others.collect::<Vec<_>>());
    tree.run(&["explore", "--since", "nowhere"])
        .has_code(1)
        .says("error: git can't tell the changes: bad revision 'nowhere'");
}

fn pictures_are_drawn(tree: &Tree, report: &Value) {
    assert_eq!(report["pictures"], "target/atropos/explored.html");
    let page = tree.read("target/atropos/explored.html");
    assert!(page.contains("3 tests fail") && page.contains("two_may_be_inside (test room)"));
    // No schedule comes to what is not reached.
    assert_eq!(page.matches("<svg ").count(), 2);
    let json = tree.read("target/atropos/explored/two_may_be_inside--test-room.json");
    let trace: Value = serde_json::from_str(&json).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    assert!(
        events
            .iter()
            .any(|event| event["name"] == "loads Room.inside (0)")
    );
    // Of one schedule on request.
    let arguments = [
        "replay",
        "two_may_be_inside",
        "--page",
        "one.html",
        "--chrome-trace",
        "one.json",
    ];
    tree.run(&arguments).has_code(2);
    assert!(tree.read("one.html").contains("<svg "));
    assert!(tree.read("one.json").contains("traceEvents"));
    let nowhere = ["replay", "two_may_be_inside", "--page", "no/such/one.html"];
    tree.run(&nowhere)
        .has_code(1)
        .says("error: can't write no/such/one.html");
}
