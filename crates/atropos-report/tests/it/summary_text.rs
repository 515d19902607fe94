//! The summary at the end of a run.

use anstream::adapter::strip_str;
use atropos_protocol::FailureKind;
use atropos_report::html::html;
use atropos_report::impact::{Impact, Suggestion};
use atropos_report::markdown::markdown;
use atropos_report::outcomes::Outcomes;
use atropos_report::summary::{SummaryLayout, summary};
use atropos_report::verdict::Verdict;

use crate::example::{ACCOUNT, outcomes, scored};

const SUMMARY: &str = "\
Score: 22.2 % (2 of 9 killed); 28.6 % in code that tests run
12 mutants in 4.38 s: 2 killed, 4 survived, 1 uninfected, 2 unreached, 1 unviable, 2 not built

What no test notices:
 1. src/account.rs:3 fn Account::deposit
    3 | self.balance = self.balance + amount * self.rate;
      | replace self.balance + amount * self.rate with self.balance [2]
    4 | if self.balance > 1_000 && amount > 0 {
      | replace > with >= [3]; replace > with < [4]
 2. src/account.rs:11 fn Account::notify
    11 | let größe = 1; if größe > self.limit { self.send() }
       | replace > with == [7]
 3. src/account.rs:15 fn Account::close: no test runs it (2 mutants)
 4. src/account.rs:4 fn Account::deposit: never made a difference
    4 | if self.balance > 1_000 && amount > 0 {
      | replace && with || [5]
    why:   probably equivalent, or the tests' data never show it
";

const FIGURES: &str = "

  killed          2   a test noticed the change (1 panicked, 1 step limit)
  survived        4   tests ran the change and still passed
  uninfected      1   tests ran the place, but there the change made no difference
  unreached       2   no test runs this code
  unviable        1   rustc rejects the change, or one around it; not counted in the score
  not built       2   features or cfg leave this code out; not counted in the score

Time:  4.38 s (check 0.50 s, build 2.25 s, tests alone 0.12 s, mutants 1.50 s)
";

const PERFECT: &str = "\
Score: 100.0 % (3 of 3 killed)
3 mutants in 0.00 s: 3 killed
";

fn rendered(outcomes: &Outcomes, width: usize, all: bool) -> String {
    let sources = |file: &str| (file == "src/account.rs").then(|| ACCOUNT.to_owned());
    let layout = SummaryLayout {
        width,
        height: None,
        all,
        top: None,
        outcomes_path: "target/atropos/outcomes.json",
        reports: &[],
    };
    strip_str(&summary(outcomes, &sources, layout)).to_string()
}

#[test]
fn kills_by_what_plain_memory_shows_are_told_apart() {
    let mut outcomes = scored();
    let totals = &mut outcomes.totals;
    totals.killed += 3;
    totals.killed_how.insert(FailureKind::DataRace, 2);
    totals.killed_how.insert(FailureKind::UseAfterFree, 1);
    let text = rendered(&outcomes, 100, false);
    for words in [
        "(5 of 12 killed)",
        "Score not counting data races and memory errors: 16.7 %",
        "5 killed (2 data race, 1 use after free), 4 survived",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn a_summary_shows_survivors_with_their_lines_and_the_figures() {
    assert_eq!(rendered(&scored(), 100, false), SUMMARY);
    let all = rendered(&scored(), 100, true);
    assert!(all.contains(FIGURES), "{all}");
}

#[test]
fn a_narrow_terminal_has_no_longer_lines() {
    for width in [40, 60, 80] {
        let text = rendered(&outcomes(), width, false);
        let blocks = text.lines().filter(|line| line.starts_with("    "));
        let longest = blocks.map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= width, "{longest} > {width}\n{text}");
    }
}

#[test]
fn code_that_is_wider_than_the_terminal_is_told_in_words() {
    let mut outcomes = outcomes();
    let call = "assert_eq!(account.deposit(an_amount_that_is_large), account.balance() + 1);";
    outcomes.mutants[1].impact = Some(Impact {
        suggestion: Some(Suggestion {
            words: "assert on what `deposit` returns".into(),
            code: call.into(),
        }),
        ..Impact::default()
    });
    let wide = rendered(&outcomes, 100, false);
    assert!(wide.contains(&format!("    write: {call}\n")), "{wide}");
    let narrow = rendered(&outcomes, 80, false);
    assert!(!narrow.contains("assert_eq!"), "{narrow}");
    assert!(
        narrow.contains("    write: assert on what `deposit` returns\n"),
        "{narrow}"
    );
}

#[test]
fn nothing_is_called_the_most_disturbing_where_nothing_was_measured() {
    let unranked = outcomes();
    assert!(unranked.mutants.iter().all(|record| record.rank.is_none()));
    let mut ranked = outcomes();
    for (index, record) in ranked.mutants.iter_mut().enumerate() {
        if record.verdict == Some(Verdict::Survived) {
            record.rank = Some(index + 1);
        }
    }
    let none = |_: &str| None;
    for (outcomes, expected) in [(&unranked, false), (&ranked, true)] {
        for text in [
            rendered(outcomes, 100, false),
            rendered(outcomes, 100, true),
            html(outcomes, &none),
            markdown(outcomes),
        ] {
            let says = text.to_lowercase().contains("most disturbing first");
            assert_eq!(says, expected, "{text}");
        }
    }
}

/// Sixty survivors, each in a function of its own.
fn many() -> Outcomes {
    let mut many = outcomes();
    let survivor = many.mutants[1].clone();
    let record = |id| {
        let mut record = survivor.clone();
        record.info.id.0 = id;
        record.info.function = format!("f{id}");
        record
    };
    let mutants = (1..=60).map(record).collect();
    many = Outcomes::new(many.tool, many.tests, mutants);
    many
}

#[test]
fn by_default_it_fits_on_one_screen_and_says_what_else_there_is() {
    let text = rendered(&many(), 100, false);
    assert!(text.lines().count() < 40, "{text}");
    assert!(text.contains("What no test notices (10 of 60):"), "{text}");
    assert!(text.contains("\n10. src/account.rs:3 fn f10\n"), "{text}");
    let rest = "and 50 survivors: `--all` shows them, and so does target/atropos/outcomes.json";
    assert!(text.contains(rest), "{text}");
    let all = rendered(&many(), 100, true);
    assert!(all.contains("\n60. src/account.rs:3 fn f60\n"), "{all}");
    assert!(!all.contains("--all"), "{all}");
}

#[test]
fn the_screen_and_the_number_asked_for_are_kept_to() {
    let shown = |height, top| {
        let layout = SummaryLayout {
            width: 80,
            height: Some(height),
            all: false,
            top,
            outcomes_path: "",
            reports: &[("Page", "report.html".to_owned())],
        };
        let sources = |_: &str| Some(ACCOUNT.to_owned());
        strip_str(&summary(&many(), &sources, layout)).to_string()
    };
    for height in [24, 30, 50] {
        let text = shown(height, None);
        assert!(text.lines().count() + 2 <= height, "{height}\n{text}");
        // The page has all of them.
        assert!(text.contains("and so does report.html"), "{text}");
    }
    let text = shown(24, Some(13));
    assert!(text.contains("(13 of 60)") && text.contains("and 47 survivors"));
}

#[test]
fn a_run_that_skipped_what_was_killed_before_has_no_score() {
    let text = rendered(&outcomes(), 100, false);
    let line =
        "No score: 2 of 9 killed now, and 1 were skipped because an earlier run has killed them\n";
    assert!(text.starts_with(line), "{text}");
}

#[test]
fn a_perfect_run_is_short() {
    let perfect = outcomes();
    let mut mutants = perfect.mutants;
    mutants.truncate(3);
    for mutant in &mut mutants {
        mutant.verdict = Some(Verdict::Killed(FailureKind::Failed));
    }
    let perfect = Outcomes::new(perfect.tool, perfect.tests, mutants);
    assert_eq!(rendered(&perfect, 100, false), PERFECT);
}

#[test]
fn an_interrupted_run_says_how_far_it_came_and_no_score() {
    let mut mutants = outcomes().mutants;
    mutants[0].verdict = None;
    mutants[1].verdict = None;
    let partial = Outcomes::new(outcomes().tool, Vec::new(), mutants);
    let text = rendered(&partial, 100, false);
    assert!(
        text.contains("Interrupted after 10 of 12 mutants\n"),
        "{text}"
    );
    assert!(!text.contains("Score"), "{text}");
}

#[test]
fn what_was_written_is_named_at_the_end() {
    let reports = [
        ("Page", "target/atropos/report.html".to_owned()),
        ("SARIF", "target/atropos/report.sarif".to_owned()),
    ];
    let layout = SummaryLayout {
        width: 80,
        height: None,
        all: false,
        top: None,
        outcomes_path: "",
        reports: &reports,
    };
    let text = summary(&outcomes(), &|_| None, layout);
    let end = "\nPage:  target/atropos/report.html\nSARIF: target/atropos/report.sarif\n";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn a_source_that_is_gone_or_changed_is_not_drawn() {
    let layout = SummaryLayout {
        width: 80,
        height: None,
        all: false,
        top: None,
        outcomes_path: "",
        reports: &[],
    };
    for source in [None, Some("fn other() {}\n".to_owned())] {
        let text = summary(&outcomes(), &|_| source.clone(), layout);
        let text = strip_str(&text).to_string();
        assert!(
            text.contains("src/account.rs:3 fn Account::deposit"),
            "{text}"
        );
        assert!(!text.contains("self.balance > 1_000"), "{text}");
    }
}
