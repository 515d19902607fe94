//! The summary at the end of a run.

use anstream::adapter::strip_str;
use atropos_protocol::FailureKind;
use atropos_report::outcomes::Outcomes;
use atropos_report::summary::{Layout, summary};
use atropos_report::verdict::Verdict;

use crate::example::{ACCOUNT, outcomes};

const SUMMARY: &str = "\
Changes that no test noticed:

src/account.rs:3:37: replace self.balance + amount * self.rate with self.balance in fn \
Account::deposit [AOR]
3 |         self.balance = self.balance + amount * self.rate;
  |                                     ^ mutant 2

src/account.rs:4:25: replace > with >= in fn Account::deposit [ROR]
src/account.rs:4:25: replace > with < in fn Account::deposit [ROR]
4 |         if self.balance > 1_000 && amount > 0 {
  |                         ^ mutants 3, 4

src/account.rs:4:33: replace && with || in fn Account::deposit [COR]
4 |         if self.balance > 1_000 && amount > 0 {
  |                                 ^^ mutant 5 (never made a difference)

src/account.rs:11:27: replace > with == in fn Account::notify [ROR]
11 |         let größe = 1; if größe > self.limit { self.send() }
   |                                 ^ mutant 7

(`cargo atropos show 2` tells more about mutant 2.)

Code that no test runs:

src/account.rs:15: fn Account::close, 2 mutants

12 mutants:
  killed          2   a test noticed the change (1 panicked, 1 step limit)
  survived        4   tests ran the change and still passed
  uninfected      1   tests ran the place, but there the change made no difference
  unreached       2   no test runs this code
  unviable        1   rustc rejects the change, or one around it; not counted in the score
  not built       1   features or cfg leave this code out; not counted in the score
  skipped         1   left out on request; not counted in the score

Score: 22.2 % (2 of 9 killed); 28.6 % in code that tests run
Time:  4.38 s (check 0.50 s, build 2.25 s, tests alone 0.12 s, mutants 1.50 s)
";

const NARROW: &str = "\
3 | …self.balance + amount * self.rate;
  |               ^ mutant 2
4 | …self.balance > 1_000 && amount > 0 {
  |               ^ mutants 3, 4
4 | …ance > 1_000 && amount > 0 {
  |               ^^ mutant 5 (never made a difference)
11 | … 1; if größe > self.limit { self.send…
   |               ^ mutant 7";

const PERFECT: &str = "\
3 mutants:
  killed          3   a test noticed the change (3 failed)
  survived        0   tests ran the change and still passed

Score: 100.0 % (3 of 3 killed)
Time:  0.00 s
";

fn rendered(outcomes: &Outcomes, width: usize, all: bool) -> String {
    let sources = |file: &str| (file == "src/account.rs").then(|| ACCOUNT.to_owned());
    let layout = Layout {
        width,
        all,
        top: None,
        outcomes_path: "target/atropos/outcomes.json",
        reports: &[],
    };
    strip_str(&summary(outcomes, &sources, layout)).to_string()
}

#[test]
fn a_summary_shows_survivors_with_their_lines_and_the_figures() {
    assert_eq!(rendered(&outcomes(), 100, false), SUMMARY);
}

#[test]
fn a_narrow_terminal_shows_the_part_that_matters() {
    let text = rendered(&outcomes(), 44, false);
    let drawn: Vec<&str> = text.lines().filter(|line| line.contains(" | ")).collect();
    assert_eq!(drawn.join("\n"), NARROW);
}

#[test]
fn only_fifty_survivors_are_shown_unless_all_are_wanted() {
    let mut many = outcomes();
    let survivor = many.mutants[1].clone();
    many.mutants = (1..=60)
        .map(|id| {
            let mut record = survivor.clone();
            record.info.id.0 = id;
            record
        })
        .collect();
    let some = rendered(&many, 100, false);
    assert_eq!(some.matches("[AOR]").count(), 50);
    let rest = "and 10 more; see target/atropos/outcomes.json, or use -v to show all";
    assert!(some.contains(rest), "{some}");
    let all = rendered(&many, 100, true);
    assert_eq!(all.matches("[AOR]").count(), 60);
    assert!(!all.contains("more; see"), "{all}");
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
        text.contains("Interrupted after 10 of 12 mutants:"),
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
    let layout = Layout {
        width: 80,
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
    let layout = Layout {
        width: 80,
        all: false,
        top: None,
        outcomes_path: "",
        reports: &[],
    };
    for source in [None, Some("fn other() {}\n".to_owned())] {
        let text = summary(&outcomes(), &|_| source.clone(), layout);
        let text = strip_str(&text).to_string();
        assert!(text.contains("src/account.rs:4:"), "{text}");
        assert!(!text.contains(" | "), "{text}");
    }
}
