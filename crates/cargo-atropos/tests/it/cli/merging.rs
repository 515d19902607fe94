//! `merge`: the outcomes of several runs as one, without running anything.

use std::fs;

use atropos_report::outcomes::{MutantRecord, Outcomes};
use atropos_report::verdict::Verdict;

use crate::cli::project::Project;
use crate::cli::showing::after_a_run;

/// Writes the mutants of the last run that have odd or even numbers as a shard.
fn shard(project: &Project, index: u32, change: impl FnOnce(&mut Outcomes)) -> String {
    let mut outcomes = Outcomes::read(&project.path().join("target/atropos")).expect("a run");
    outcomes.selected_of = Some(outcomes.mutants.len());
    outcomes
        .mutants
        .retain(|record| record.info.id.0 % 2 == index);
    outcomes
        .options
        .insert("shard".to_owned(), format!("{index}/2").into());
    change(&mut outcomes);
    let directory = project.path().join(format!("shard {index}"));
    fs::create_dir_all(&directory).expect("a directory");
    outcomes.write(&directory).expect("it can be written");
    format!("shard {index}")
}

fn merged(project: &Project) -> Outcomes {
    Outcomes::read(&project.path().join("merged")).expect("it was merged")
}

#[test]
fn shards_become_one_report_and_one_exit_code() {
    let project = after_a_run();
    let (even, odd) = (shard(&project, 0, |_| {}), shard(&project, 1, |_| {}));
    let answer = project.atropos(&["merge", &even, &odd, "-o", "merged"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.stdout.contains("Score: 33.3 %"), "{answer:?}");
    let whole = Outcomes::read(&project.path().join("target/atropos")).expect("a run");
    assert_eq!(merged(&project).totals, whole.totals);
    assert!(project.path().join("merged/report.html").exists());
    let gate = ["merge", &even, &odd, "-o", "merged", "--min-score", "30"];
    assert_eq!(project.atropos(&gate).code, 0);
}

#[test]
fn a_gate_is_not_judged_without_all_shards() {
    let project = after_a_run();
    let odd = shard(&project, 1, |_| {});
    let answer = project.atropos(&["merge", &odd, &odd, "-o", "merged", "--min-score", "0"]);
    assert_eq!(answer.code, 5, "{answer:?}");
    assert!(answer.stderr.contains("1 shard missing: 0/2"), "{answer:?}");
    assert!(answer.stderr.contains("are the same"), "{answer:?}");
    assert!(!merged(&project).complete);
}

#[test]
fn what_does_not_belong_together_is_refused_with_nothing_written() {
    let project = after_a_run();
    let even = shard(&project, 0, |_| {});
    let odd = shard(&project, 1, |other| {
        other.options.insert("features".to_owned(), "fast".into());
    });
    let answer = project.atropos(&["merge", &even, &odd, "-o", "merged"]);
    assert_eq!(answer.code, 1, "{answer:?}");
    let said = "`shard 1` ran with `--features \"fast\"`, but `shard 0` with no `--features`";
    assert!(answer.stderr.contains(said), "{answer:?}");
    assert!(!project.path().join("merged").exists());
    fs::write(
        project.path().join("half.json"),
        "{\"schema_version\": 1, \"tool\"",
    )
    .expect("a file");
    for (part, said) in [
        ("half.json", "is not an outcomes file"),
        ("none", "there is no `none`"),
    ] {
        let answer = project.atropos(&["merge", &even, part, "-o", "merged"]);
        assert_eq!(answer.code, 1, "{answer:?}");
        assert!(answer.stderr.contains(said), "{answer:?}");
    }
}

#[test]
fn verdicts_that_disagree_are_told_where_the_mutant_is_shown() {
    let project = after_a_run();
    let whole = "target/atropos";
    let odd = shard(&project, 1, |other| {
        let survivors = other.mutants.iter_mut();
        let mut survivors = survivors.filter(|record| record.verdict == Some(Verdict::Survived));
        let record = survivors.next().expect("one survived");
        record.verdict = Some(Verdict::Unreached);
    });
    let answer = project.atropos(&["merge", whole, &odd, "-o", "merged"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    let merged = merged(&project);
    assert_eq!(merged.totals.undecided, 1, "{answer:?}");
    let disagree = |record: &&MutantRecord| !record.disagreement.is_empty();
    let record = merged
        .mutants
        .iter()
        .find(disagree)
        .expect("one has two verdicts");
    let id = record.info.id.to_string();
    let shown = project.atropos(&["show", &id, "-o", "merged"]);
    assert!(
        shown.stdout.contains("disagree (survived and unreached)"),
        "{shown:?}"
    );
}
