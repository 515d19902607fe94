//! What GitHub Actions is told: annotations, and the summary of a job.

use atropos_report::annotations::{MOST, annotations};
use atropos_report::impact::{Impact, Suggestion, rank};
use atropos_report::markdown::markdown;
use atropos_report::outcomes::Outcomes;
use atropos_report::verdict::Verdict;

use crate::example::{outcomes, record, scored};
use crate::odd;

const ANNOTATIONS: &str = "\
::warning file=a%2Cb/src/account.rs,line=4,col=25,title=2 mutants survived::no test notices any of these changes:%0A- \
replace > with < in fn Account::deposit [ROR] (mutant 4)%0A- replace > with >= in fn Account::deposit [ROR] (mutant 3)%0A\
why: disturbs nothing that was observed%0Awrite: 50 %25%0Aassert!(x);
::warning file=a%2Cb/src/account.rs,line=3,col=37,title=Mutant survived::no test notices this change: replace self.balance \
+ amount * self.rate with self.balance in fn Account::deposit [AOR] (mutant 2)
::warning file=a%2Cb/src/account.rs,line=11,col=27,title=Mutant survived::no test notices this change: replace > with == \
in fn Account::notify [ROR] (mutant 7)
";

const SUMMARY: &str = "\
## Mutants

**Score: 22.2 %** (2 of 9 killed); 12 mutants in 4.38 s

| verdict | mutants | meaning |
|---|---:|---|
| killed | 2 | a test noticed the change |
| survived | 4 | tests ran the change and still passed |
| uninfected | 1 | tests ran the place, but there the change made no difference |
| unreached | 2 | no test runs this code |
| unviable | 1 | rustc rejects the change, or one around it; not counted in the score |
| not built | 2 | features or cfg leave this code out; not counted in the score |

### Changes that no test noticed, the most disturbing first

| place | change | why |
|---|---|---|
| `src/account.rs:4` | replace &gt; with &lt; in fn Account::deposit \\[ROR\\] | disturbs nothing that was observed; 50 % |
| `src/account.rs:3` | replace self.balance + amount \\* self.rate with self.balance in fn Account::deposit \\[AOR\\] |  |
| `src/account.rs:4` | replace &gt; with &gt;= in fn Account::deposit \\[ROR\\] |  |
| `src/account.rs:11` | replace &gt; with == in fn Account::notify \\[ROR\\] |  |

### Code that no test runs

- `src/account.rs:15`: fn Account::close, 2 mutants

";

/// Mutant 4 comes first.
fn ranked() -> Outcomes {
    let mut outcomes = scored();
    outcomes.mutants[3].impact = Some(Impact {
        score: 9,
        suggestion: Some(Suggestion {
            words: "50 %".into(),
            code: "assert!(x);\n".into(),
        }),
        ..Impact::default()
    });
    rank(&mut outcomes.mutants);
    outcomes
}

#[test]
fn survivors_are_annotated_in_their_order() {
    assert_eq!(annotations(&ranked(), "a,b/"), ANNOTATIONS);
}

/// Survivors on these lines.
fn survivors_on(lines: &[u32]) -> Outcomes {
    let mut outcomes = outcomes();
    let survivor = record(outcomes.mutants[1].info.clone(), Some(Verdict::Survived));
    let on = |line: &u32| {
        let mut record = survivor.clone();
        record.info.line = *line;
        record
    };
    outcomes.mutants = lines.iter().map(on).collect();
    outcomes
}

#[test]
fn only_as_many_as_are_shown_are_annotated_and_that_is_said() {
    let lines: Vec<u32> = (1..=25).collect();
    let text = annotations(&survivors_on(&lines), "");
    assert_eq!(text.matches("::warning ").count(), MOST);
    let last = text.lines().last().unwrap();
    assert_eq!(
        last,
        "::notice title=Mutants that no test noticed::10 of 25 lines with survivors annotated: the first ones; the report \
         has all of them"
    );
}

#[test]
fn a_line_with_seven_survivors_is_annotated_once() {
    let text = annotations(&survivors_on(&[1, 1, 1, 1, 1, 1, 1, 2]), "");
    assert_eq!(text.lines().count(), 2, "{text}");
    assert_eq!(text.matches("title=7 mutants survived::").count(), 1);
}

#[test]
fn one_annotation_is_one_line_whatever_it_says() {
    odd::every(|outcomes, _| {
        for line in annotations(outcomes, "").lines() {
            let kinds = ["::warning ", "::error ", "::notice "];
            assert!(kinds.iter().any(|kind| line.starts_with(kind)), "{line}");
            assert!(!line.contains('\r'));
        }
    });
    let nasty = annotations(&odd::nasty(), "");
    assert!(
        nasty.starts_with("::error file=src/account.rs,line=4,title="),
        "{nasty}"
    );
}

#[test]
fn the_summary_of_a_job_is_short() {
    assert_eq!(markdown(&ranked()), SUMMARY);
}

#[test]
fn no_summary_has_markup_of_others() {
    odd::every(|outcomes, _| {
        let text = markdown(outcomes);
        // Nothing is markup between backticks, but bars still end a cell of a table.
        let unescaped = text.replace("\\`", "").replace("\\|", "");
        let outside: String = unescaped.split('`').step_by(2).collect();
        let tags = ["<img", "</script"];
        assert!(!tags.iter().any(|tag| outside.contains(tag)), "{text}");
        for line in unescaped.lines().filter(|line| line.starts_with('|')) {
            assert_eq!(line.matches('|').count(), 4, "{line}");
        }
    });
}
