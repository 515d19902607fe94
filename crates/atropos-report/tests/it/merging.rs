//! Outcomes joined from parts: whatever the order and the grouping, the same comes out.

use atropos_mutants::MutantId;
use atropos_protocol::FailureKind;
use atropos_report::merge::{MergeError, Merged, Part, merge};
use atropos_report::outcomes::{Exploration, Kill, Outcomes, TestRecord};
use atropos_report::verdict::Verdict;
use fastrand::Rng;

use crate::example;

const KILLED: Verdict = Verdict::Killed(FailureKind::Panicked);

fn joined(parts: &[&Outcomes]) -> Merged {
    let part = |(index, outcomes): (usize, &&Outcomes)| Part {
        name: format!("part {index}"),
        outcomes: (*outcomes).clone(),
    };
    let parts = parts.iter().enumerate().map(part).collect();
    merge(parts, &|option| option == "features").expect("they belong together")
}

fn json(outcomes: &Outcomes) -> String {
    serde_json::to_string_pretty(outcomes).expect("outcomes are JSON")
}

/// The mutants of the example that `belongs` says, as the shard of that name.
fn shard(name: &str, belongs: impl Fn(u32) -> bool) -> Outcomes {
    let mut outcomes = example::outcomes();
    let found = outcomes.mutants.len();
    outcomes.mutants.retain(|record| belongs(record.info.id.0));
    for (id, record) in (1..).map(MutantId).zip(&mut outcomes.mutants) {
        record.info.id = id;
    }
    let mut part = Outcomes::new(outcomes.tool, outcomes.tests, outcomes.mutants);
    part.options.insert("shard".to_owned(), name.into());
    part.selected_of = Some(found);
    part.timings = outcomes.timings;
    part
}

fn halves() -> [Outcomes; 2] {
    [
        shard("0/2", |id| id % 2 == 0),
        shard("1/2", |id| id % 2 == 1),
    ]
}

#[test]
fn all_shards_together_are_the_whole_run() {
    let [even, odd] = halves();
    let Merged {
        outcomes,
        notes,
        missing,
    } = joined(&[&even, &odd]);
    let whole = example::outcomes();
    assert!(
        notes.is_empty() && missing.is_empty(),
        "{notes:?} {missing:?}"
    );
    assert_eq!(outcomes.totals, whole.totals);
    assert_eq!(outcomes.selected_of, None);
    assert!(!outcomes.options.contains_key("shard"));
    let keys = |outcomes: &Outcomes| {
        let mut keys: Vec<_> = outcomes
            .mutants
            .iter()
            .map(|one| one.info.key.clone())
            .collect();
        keys.sort();
        keys
    };
    assert_eq!(keys(&outcomes), keys(&whole));
    let ids: Vec<u32> = outcomes.mutants.iter().map(|one| one.info.id.0).collect();
    assert_eq!(ids, (1..=ids.len() as u32).collect::<Vec<_>>());
    let seconds = even.timings.total + odd.timings.total;
    assert!((outcomes.timings.total - seconds).abs() < 1e-9);
}

#[test]
fn a_missing_shard_is_named() {
    let quarter = |index: u32| shard(&format!("{index}/4"), |id| id % 4 == index);
    let (first, third) = (quarter(0), quarter(2));
    let merged = joined(&[&third, &first]);
    assert_eq!(merged.missing, ["1/4", "3/4"]);
    assert!(!merged.outcomes.complete);
    assert_eq!(
        merged.outcomes.selected_of,
        Some(example::outcomes().mutants.len())
    );
    // What was joined before goes on to be joined.
    let whole = joined(&[&merged.outcomes, &quarter(3), &quarter(1)]);
    assert_eq!((whole.missing.len(), whole.outcomes.selected_of), (0, None));
}

#[test]
fn what_is_said_twice_is_told_and_counted_once() {
    let [even, odd] = halves();
    let overlapping = shard("0/3", |id| id % 3 == 0);
    let mut again = even.clone();
    again.timings.total += 1.0;
    let notes = |parts: &[&Outcomes]| joined(parts).notes.join("; ");
    assert_eq!(notes(&[&even, &even]), "`part 0` and `part 1` are the same");
    assert_eq!(
        notes(&[&even, &again]),
        "`part 0` and `part 1` are both of shard 0/2"
    );
    assert!(notes(&[&even, &overlapping]).contains("overlap"));
    let totals = joined(&[&even, &again, &odd, &overlapping, &odd])
        .outcomes
        .totals;
    assert_eq!(totals, example::outcomes().totals);
}

#[test]
fn a_shard_that_was_cut_off_is_completed_by_its_second_run() {
    let [even, odd] = halves();
    let mut cut_off = even.clone();
    cut_off.complete = false;
    for record in &mut cut_off.mutants {
        record.verdict = None;
        record.killed_by.clear();
    }
    assert!(!joined(&[&cut_off, &odd]).outcomes.complete);
    let whole = joined(&[&cut_off, &odd, &even]).outcomes;
    assert_eq!(whole.complete, example::outcomes().complete);
    assert_eq!(whole.totals, example::outcomes().totals);
}

#[test]
fn verdicts_that_disagree_are_shown_and_decide_nothing() {
    let with = |verdict| {
        let mut outcomes = shard("0/1", |id| id == 2);
        outcomes.mutants[0].verdict = Some(verdict);
        outcomes
    };
    let verdict = |verdicts: &[Verdict]| {
        let parts: Vec<Outcomes> = verdicts.iter().copied().map(with).collect();
        let parts: Vec<&Outcomes> = parts.iter().collect();
        joined(&parts).outcomes.mutants[0].clone()
    };
    let both = verdict(&[Verdict::Survived, KILLED]);
    assert_eq!(both.verdict, Some(Verdict::Undecided));
    assert_eq!(both.disagreement, [KILLED, Verdict::Survived]);
    let note = both.note.expect("a reason");
    assert!(note.contains("killed (panicked) and survived"), "{note}");
    // These say more or less of the same.
    let agreed = |verdicts: &[Verdict]| {
        let record = verdict(verdicts);
        assert!(record.disagreement.is_empty());
        record.verdict.expect("a verdict")
    };
    assert_eq!(agreed(&[Verdict::Undecided, KILLED]), KILLED);
    assert_eq!(
        agreed(&[Verdict::Skipped, Verdict::Undecided]),
        Verdict::Undecided
    );
    assert_eq!(
        agreed(&[Verdict::Survived, Verdict::Accepted]),
        Verdict::Accepted
    );
    assert_eq!(
        agreed(&[Verdict::Killed(FailureKind::TimeLimit), KILLED]),
        KILLED
    );
}

#[test]
fn parts_of_something_else_are_refused() {
    let [even, odd] = halves();
    let refused = |change: &dyn Fn(&mut Outcomes)| {
        let mut other = odd.clone();
        change(&mut other);
        let part = |name: &str, outcomes: &Outcomes| Part {
            name: name.to_owned(),
            outcomes: outcomes.clone(),
        };
        let parts = vec![part("a", &even), part("b", &other)];
        let error: MergeError = merge(parts, &|option| option == "features")
            .err()
            .expect("it is another run's");
        error.to_string()
    };
    let tool = refused(&|other| other.tool.toolchain = "rustc 1.0.0".to_owned());
    assert!(tool.starts_with("`b` was made by"), "{tool}");
    let option = refused(&|other| {
        other.options.insert("features".to_owned(), "x".into());
    });
    assert!(
        option.starts_with("`b` ran with `--features \"x\"`, but `a` with no"),
        "{option}"
    );
    let mut first = even.clone();
    let file = |hash: &str| atropos_report::outcomes::FileRecord {
        file: "src/account.rs".to_owned(),
        hash: hash.to_owned(),
    };
    first.files = vec![file("1")];
    let mut second = odd.clone();
    second.files = vec![file("2")];
    let parts = [("a", first), ("b", second)].map(|(name, outcomes)| Part {
        name: name.to_owned(),
        outcomes,
    });
    let error = merge(parts.into(), &|_| false)
        .err()
        .expect("another text")
        .to_string();
    assert_eq!(error, "`b` is of another text of src/account.rs than `a`");
}

/// A run over some of the example's mutants, with verdicts and tests drawn at random.
fn random_part(random: &mut Rng) -> Outcomes {
    let count = random.u32(1..=3);
    let index = random.u32(0..count);
    let mut part = shard(&format!("{index}/{count}"), |id| {
        id % count == index || id % 5 == 0
    });
    random.shuffle(&mut part.tests);
    for name in 0..random.usize(0..3) {
        part.tests.push(TestRecord {
            name: format!("extra {name}"),
            package: "bank".to_owned(),
            target: "lib".to_owned(),
            seconds: f64::from(random.u32(0..5)),
        });
    }
    let tests = part.tests.len();
    for record in &mut part.mutants {
        let verdicts = [
            None,
            Some(KILLED),
            Some(Verdict::Killed(FailureKind::TimeLimit)),
            Some(Verdict::Survived),
            Some(Verdict::Accepted),
            Some(Verdict::Undecided),
            Some(Verdict::Skipped),
            Some(Verdict::Unreached),
        ];
        record.verdict = random.choice(verdicts).expect("there are some");
        record.seconds = f64::from(random.u32(0..9));
        record.reached_by = vec![random.usize(0..tests)];
        record.note = random.bool().then(|| format!("note {}", random.u8(0..3)));
        record.killed_by = Vec::new();
        if record.verdict.is_some_and(Verdict::is_killed) {
            record.killed_by.push(Kill {
                test: random.usize(0..tests),
                how: FailureKind::Panicked,
                message: random.bool().then(|| "message".to_owned()),
                location: None,
                schedule: None,
                trace: None,
            });
        }
        record.explored_by = vec![Exploration {
            test: random.usize(0..tests),
            coverage: format!("coverage {}", random.u8(0..3)),
            schedules: random.u64(0..3),
            unseen: Vec::new(),
        }];
    }
    part.complete = random.bool();
    part.timings.total = f64::from(random.u32(0..100)) / 7.0;
    part.warnings = vec![format!("warning {}", random.u8(0..3))];
    part
}

#[test]
fn joining_is_associative_commutative_and_idempotent() {
    for seed in 0..300 {
        let mut random = Rng::with_seed(seed);
        let parts: Vec<Outcomes> = (0..4).map(|_| random_part(&mut random)).collect();
        let all: Vec<&Outcomes> = parts.iter().collect();
        let once = joined(&all).outcomes;
        let whole = json(&once);
        let check = |parts: &[&Outcomes], what: &str| {
            let same = json(&joined(parts).outcomes) == whole;
            assert!(same, "{what}, seed {seed}");
        };
        let mut shuffled = all.clone();
        random.shuffle(&mut shuffled);
        check(&shuffled, "in another order");
        let cut = random.usize(1..4);
        let left = joined(&all[..cut]).outcomes;
        let right = joined(&all[cut..]).outcomes;
        check(&[&left, &right], "in groups");
        let doubled: Vec<&Outcomes> = all.iter().chain(&shuffled).copied().collect();
        check(&doubled, "each twice");
        check(&[&once], "again");
        check(&[&once, all[0]], "with a part of it");
    }
}
