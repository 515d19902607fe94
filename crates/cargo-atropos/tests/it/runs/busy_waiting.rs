//! Mutants that wait by trying again and again instead of sleeping.

use atropos_protocol::FailureKind;
use atropos_report::verdict::Verdict;

use crate::runs::tree::Tree;

#[test]
fn waiting_busily_is_not_endless_because_a_schedule_never_lets_others_go() {
    let tree = Tree::of("busy_waiting");
    tree.run(&["explore", "--budget", "300,5s"]).has_code(0);
    let run = tree.run(&["--operators", "RTXC"]);
    let verdict = |function, change| run.mutant("src/lib.rs", function, change).verdict;
    let deadlock = Some(Verdict::Killed(FailureKind::Deadlock));
    assert_eq!(verdict("Place::put", "remove owner.unpark();"), deadlock);
    // Whether ordinary runs come there depends on their speed; if they do, it survives.
    let busy = verdict("Place::take", "remove thread::park();");
    let is_right = matches!(busy, Some(Verdict::Undecided | Verdict::Survived));
    assert!(is_right, "{busy:?}");
    let until = "remove thread::park_timeout(deadline - now);";
    let until = verdict("Place::take_until", until);
    assert_eq!(until, Some(Verdict::Survived));
    assert!(tree.replay_kills(&run) > 0);
}
