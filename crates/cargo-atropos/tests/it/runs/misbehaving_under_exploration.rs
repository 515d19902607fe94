//! Mutants that misbehave while schedules are explored, and what only some schedules come to.

use crate::runs::tree::{Tree, verdict};

#[test]
fn what_mutants_do_under_exploration_gets_its_own_verdict_and_harms_nobody() {
    let tree = Tree::of("misbehaving_under_exploration");
    let run = tree
        .run(&[
            "--no-impact",
            "-C--offline",
            "--operators",
            "COI,ROR,AOD",
            "--",
            "--skip",
            "counts_may_get_lost",
        ])
        .has_code(2);
    run.check(
        "src/harm.rs",
        &[
            ("loop_for_ever: negate really", "killed (step limit)"),
            ("wait_for_ever: negate really", "killed (step limit)"),
            ("yield_for_ever: negate really", "killed (step limit)"),
            ("spawn_for_ever: negate really", "killed (step limit)"),
            ("lock_twice: negate really", "killed (deadlock)"),
            ("recurse: replace depth - 1 with depth", "killed (crashed)"),
            ("eat_memory: negate really", "killed (memory limit)"),
            ("leave: negate really", "killed (exited)"),
            ("abort: negate really", "killed (crashed)"),
            ("write_to_nowhere: negate really", "killed (crashed)"),
            ("panic_twice: negate really", "killed (crashed)"),
            ("close_descriptors: negate really", "survived"),
            ("wander: negate really", "survived"),
        ],
    );
    // Each kill is by exploration, and shows its schedule.
    for mutant in &run.outcomes().mutants {
        for kill in &mutant.killed_by {
            let schedule = kill.schedule.as_deref().unwrap_or_default();
            assert!(schedule.starts_with("s1:"), "{}", mutant.info.name());
        }
    }
    // A loop without end ends when its schedule is run again, too.
    for function in ["loop_for_ever", "wait_for_ever"] {
        let endless = run.mutant("src/harm.rs", function, "negate really");
        let again = tree.run(&["replay", "--mutant", &endless.info.id.0.to_string()]);
        assert!(again.has_code(2).stdout.contains("no end after"));
    }
    // Also where the threads' steps are as many as std's random keys say.
    let drawn = run.mutant("src/chance.rs", "put_in", "replace *sum < most with false");
    assert!(drawn.killed_by[0].schedule.is_some());
    assert!(tree.replay_kills(&run) > 10);
    // What it does to the world outside is not done while schedules are explored, but where the test is run as it is.
    let wandered = run.mutant("src/harm.rs", "wander", "negate really");
    let covered = &wandered.explored_by[0].coverage;
    let why =
        "not to the end (not under control: the current directory is changed at src/harm.rs:108:";
    assert!(covered.starts_with(why), "{covered}");
    // Only a schedule in which the other thread holds the lock comes there, and it makes no difference.
    run.check(
        "src/rotation.rs",
        &[
            ("Door::enter: replace > with >=", "uninfected"),
            ("Door::enter: replace > with !=", "killed (panicked)"),
        ],
    );

    // Without preemptions the test passes. A mutant that pauses fails under a schedule under which the original does, too:
    // the test fails by itself, which comes first, and decides nothing about that mutant.
    let run = tree
        .run(&[
            "--no-impact",
            "-C--offline",
            "-F",
            "fn count",
            "--explore",
            "chess:0",
            "--",
            "counts_may_get_lost",
        ])
        .has_code(4);
    run.says("error: rotation::tests::counts_may_get_lost (lib) fails under some schedule");
    let paused = run.mutant("src/rotation.rs", "count", "replace > with >=");
    assert_eq!(verdict(paused), "undecided");
    let note = paused.note.as_deref().unwrap();
    assert!(
        note.ends_with("fails under some schedule without any mutant, too"),
        "{note}"
    );
    let undecided = format!(" {}", paused.info.id.0);
    let line = run
        .stderr
        .lines()
        .find(|line| line.starts_with("it decides nothing about mutants"));
    assert!(line.unwrap().contains(&undecided), "{}", run.stderr);
    let replayed = tree.run(&["replay", "counts_may_get_lost"]).has_code(2);
    assert!(replayed.stdout.contains("src/rotation.rs:69"));
    run.check(
        "src/rotation.rs",
        &[("count: replace + with -", "killed (panicked)")],
    );
    assert_eq!(tree.stray_processes(), [""; 0]);
}
