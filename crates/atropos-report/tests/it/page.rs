//! The page: what is on it, that all its links lead somewhere, and that no text on it is markup.

use std::collections::BTreeSet;

use atropos_mutants::{MutantId, Operator, Span};
use atropos_protocol::FailureKind;
use atropos_report::html::html;
use atropos_report::impact::{Impact, Suggestion, rank};
use atropos_report::mutant::MutantInfo;
use atropos_report::outcomes::{Outcomes, REUSED, Tool};
use atropos_report::verdict::Verdict;

use crate::example::{ACCOUNT, outcomes, record, scored};
use crate::odd;

fn page(outcomes: &Outcomes) -> String {
    html(outcomes, &|_| Some(ACCOUNT.to_owned()))
}

/// The values of an attribute, without what stands in the script.
fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let text = page.split("<script>").next().unwrap();
    let parts = text.split(attribute).skip(1);
    parts.map(|part| part.split('"').next().unwrap()).collect()
}

#[track_caller]
fn holds_together(page: &str) {
    let ids = values(page, " id=\"");
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(unique.len(), ids.len(), "ids are not unique");
    for link in values(page, " href=\"#") {
        assert!(unique.contains(link), "#{link} leads nowhere");
    }
    for reference in values(page, " data-ref=\"") {
        assert!(unique.contains(reference), "{reference} is not there");
    }
    for tag in [
        "details", "section", "ol", "ul", "pre", "dl", "table", "div", "mark", "code",
    ] {
        let text = page.split("<script>").next().unwrap();
        let opened =
            text.matches(&format!("<{tag}>")).count() + text.matches(&format!("<{tag} ")).count();
        let closed = text.matches(&format!("</{tag}>")).count();
        assert_eq!(opened, closed, "<{tag}>");
    }
    assert_eq!(page.matches("<script").count(), 1);
    assert_eq!(page.matches("</script").count(), 1);
    for outside in ["http:", "https:", "src=\"", "@import", "url("] {
        assert!(!page.contains(outside), "{outside} in the page");
    }
}

#[test]
fn every_mutant_is_on_it_once_and_every_link_leads_somewhere() {
    let page = page(&scored());
    holds_together(&page);
    for number in 1..=12 {
        let element = format!(" id=\"m{number}\"");
        assert_eq!(page.matches(&element).count(), 1, "mutant {number}");
    }
    assert!(page.contains("<title>22.2 % · Mutants of bank</title>"));
    assert!(page.contains("<b>22.2 %</b> 2 of 9 killed; 28.6 % in code that tests run"));
}

#[test]
fn a_change_is_shown_as_a_diff_with_what_is_known_of_it() {
    let page = page(&outcomes());
    assert!(page.contains(
        "<del>if self.balance <b>&gt;</b> 1_000 &amp;&amp; amount &gt; 0 {</del>\
         <ins>if self.balance <b>&lt;</b> 1_000 &amp;&amp; amount &gt; 0 {</ins>"
    ));
    // Three lines around it are shown, and the function can be searched for.
    assert!(page.contains("<span>self.balance = self.balance + amount * self.rate;</span><del>if"));
    assert!(page.contains("data-v=\"survived\" data-o=\"ROR\" data-f=\"Account::deposit\""));
    assert!(page.contains("<dt>accept<dd><code class=\"copy\">cargo atropos accept "));
    assert!(page.contains(
        "<dt>killed by<dd><code>tests::deposit_adds</code> <small>(lib)</small>: panicked at"
    ));
    // The line is marked where the operators are, and counts its mutants.
    assert!(page.contains(
        "<li id=\"f0l4\" class=\"survived\">        if self.balance <mark class=\"survived\">&gt;</mark> "
    ));
    assert!(page.contains("<span class=\"v survived\">2 survived</span> <span class=\"v uninfected\">1 uninfected</span>"));
}

#[test]
fn survivors_stand_in_their_order_with_what_to_write() {
    let mut outcomes = outcomes();
    for (record, score) in outcomes.mutants.iter_mut().zip([0, 1, 5, 3]) {
        record.impact = (score > 0).then(|| Impact {
            score,
            suggestion: Some(Suggestion {
                words: format!("`deposit` returns {score}"),
                code: "assert_eq!(a, b);".into(),
            }),
            ..Impact::default()
        });
    }
    rank(&mut outcomes.mutants);
    let page = page(&outcomes);
    holds_together(&page);
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}"));
    let survivors = [" id=\"m3\"", " id=\"m4\"", " id=\"m2\"", " id=\"m7\""];
    assert!(survivors.is_sorted_by_key(|id| place(id)));
    assert!(
        page.contains("<dt>write<dd><code>deposit</code> returns 5<pre>assert_eq!(a, b);</pre>")
    );
    assert!(page.contains("See <a href=\"#m3\">number 1 of the survivors</a>."));
}

#[test]
fn a_test_that_fails_without_any_mutant_comes_first() {
    let mut outcomes = outcomes();
    outcomes.findings = vec![odd::finding(0)];
    let page = page(&outcomes);
    holds_together(&page);
    let place = |id: &str| page.find(&format!("<section id=\"{id}\"")).unwrap();
    assert!(place("findings") < place("totals"));
    assert!(page.contains(
        "<code class=\"copy\">cargo atropos replay tests::deposit_adds</code> runs it again"
    ));
    assert!(page.contains("it decides nothing about mutants <a href=\"#m3\">3</a>"));
}

#[test]
fn what_the_run_warned_of_comes_before_the_figures() {
    let mut outcomes = outcomes();
    assert!(!page(&outcomes).contains("Warnings"));
    outcomes.warnings = vec!["lib tests::wavers passes and fails by chance".into()];
    let page = page(&outcomes);
    let warning = page.find("<li>lib tests::wavers passes and fails by chance</li>");
    assert!(warning.is_some() && warning < page.find("id=\"totals\""));
}

#[test]
fn no_text_is_markup_whatever_it_says() {
    let page = page(&odd::nasty());
    holds_together(&page);
    assert!(!page.contains("<img"));
    for hidden in ['\u{0}', '\u{1b}', '\u{202e}', '\u{2028}', '\r'] {
        assert!(!page.contains(hidden), "{hidden:?}");
    }
    let source = format!("fn a() {{}} // {}\n", odd::NASTY);
    let page = html(&odd::nasty(), &|_| Some(format!("{ACCOUNT}{source}")));
    holds_together(&page);
    assert!(page.contains(
        "// &lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&amp;amp;&quot;&#39;`|%\\u{2028}␀␛[31m"
    ));
}

#[test]
fn odd_runs_have_pages_too() {
    odd::every(|outcomes, sources| holds_together(&html(outcomes, sources)));
    let page = html(&odd::empty(), &|_| None);
    assert!(page.contains("There are no mutants."));
    assert!(page.contains("No mutant counts in the score."));
    let page = html(&outcomes(), &|_| None);
    assert!(page.contains("The file’s text is not known; these are its mutants:"));
}

#[test]
fn what_an_earlier_run_has_found_is_marked() {
    let mut outcomes = scored();
    assert!(!page(&outcomes).contains("earlier run"));
    outcomes.mutants[0].reused = true;
    let page = page(&outcomes);
    assert!(page.contains("<p>1 verdict reused from earlier runs</p>"));
    assert_eq!(page.matches(REUSED).count(), 1);
}

#[test]
fn an_interrupted_run_says_so() {
    let mut outcomes = odd::alone(None);
    outcomes.complete = false;
    assert!(page(&outcomes).contains("The run was interrupted after 0 of 1 mutant"));
}

#[test]
fn an_interrupted_run_has_no_score() {
    let mut outcomes = scored();
    outcomes.complete = true;
    assert!(page(&outcomes).contains("class=\"figure\""));
    outcomes.complete = false;
    let page = page(&outcomes);
    assert!(!page.contains("class=\"figure\"") && !page.contains(" % · "));
}

/// 15,000 mutants in one file of 45,000 lines.
pub fn large() -> (Outcomes, String) {
    let line = "    let value = left + right * self.factor; // some words about it\n";
    let lines = 45_000;
    let info = |number: usize| {
        let start = line.len() * number * 2 + line.find('+').unwrap();
        MutantInfo {
            id: MutantId(number as u32 + 1),
            key: format!("{number:016x}"),
            package: "large".into(),
            file: "src/lib.rs".into(),
            line: number as u32 * 2 + 1,
            column: 22,
            span: Span::new(start, start + 1),
            function: format!("f{}", number / 20),
            operator: Operator::Aor,
            original: "+".into(),
            replacement: "-".into(),
            summary: "replace + with -".into(),
            needs_exploration: false,
        }
    };
    let verdict = |number: usize| match number % 4 {
        0 => Verdict::Survived,
        _ => Verdict::Killed(FailureKind::Panicked),
    };
    let records = (0..15_000).map(|number| record(info(number), Some(verdict(number))));
    let outcomes = Outcomes::new(Tool::default(), Vec::new(), records.collect());
    (outcomes, line.repeat(lines))
}

#[test]
fn a_large_run_has_a_page_of_a_size_that_browsers_like() {
    let (outcomes, text) = large();
    let page = html(&outcomes, &|_| Some(text.clone()));
    holds_together(&page);
    let rest = page.len() - text.len();
    assert!(
        rest < 15_000 * 1000,
        "{} bytes for each mutant",
        rest / 15_000
    );
}
