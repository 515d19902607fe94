//! The run that the README and the book show, and the schedules that the book shows, are what the command prints.

use crate::runs::tree::Tree;

const README: &str = include_str!("../../../../../README.md");
const RESULTS: &str = include_str!("../../../../../docs/src/results.md");
const SCHEDULES: &str = include_str!("../../../../../docs/src/schedules.md");

/// The first fenced text of a document, without what is left out of it.
fn shown(document: &str) -> Vec<String> {
    let (_, text) = document.split_once("\n```text\n").expect("a text");
    let (text, _) = text.split_once("\n```").expect("it ends");
    let lines = text.lines().filter_map(comparable);
    lines
        .filter(|line| !line.is_empty() && line != "[…]")
        .collect()
}

/// A line without times (`12.3 s`, `2 min 3 s`); none if it names files, which lie elsewhere on every machine.
fn comparable(line: &str) -> Option<String> {
    if line.contains("report.html") || line.contains("explored.html") {
        return None;
    }
    let is_unit = |word: &str| ["h", "min", "s"].contains(&word.trim_end_matches([':', ')', ',']));
    let mut kept: Vec<&str> = Vec::new();
    let mut words = line.split(' ').peekable();
    while let Some(word) = words.next() {
        let is_number = word.parse::<f64>().is_ok();
        if is_number && words.next_if(|next| is_unit(next)).is_some() {
            if kept.last() != Some(&"…") {
                kept.push("…");
            }
        } else {
            kept.push(word);
        }
    }
    Some(kept.join(" "))
}

#[track_caller]
fn each_is_printed_in_order(document: &str, printed: &str) {
    let mut rest = printed.lines().filter_map(comparable);
    for line in shown(document) {
        assert!(
            rest.any(|printed| printed == line),
            "the document shows, but the command does not print, at least not there:\n{line}\n\nit prints:\n{printed}"
        );
    }
}

#[test]
fn the_run_in_the_readme_is_what_the_command_prints() {
    let tree = Tree::of("../examples/bank");
    // The default budget ends by the clock, too, which a busy machine would notice.
    let run = tree.run(&["run", "--budget", "10000"]).has_code(2);
    let printed = format!("{}{}", run.stdout, run.stderr);
    each_is_printed_in_order(README, &printed);
    each_is_printed_in_order(RESULTS, &printed);
}

#[test]
fn the_schedules_in_the_book_are_what_the_command_prints() {
    let tree = Tree::of("schedules");
    let run = tree.run(&["explore", "--budget", "10000"]).has_code(2);
    each_is_printed_in_order(SCHEDULES, &run.stdout);
}

#[test]
fn seconds_and_files_are_not_compared() {
    let line = |text: &str| comparable(text).unwrap_or_default();
    assert_eq!(line("150 mutants in 11.0 s: 98"), "150 mutants in … 98");
    assert_eq!(line("150 mutants in 3 min 9 s: 98"), "150 mutants in … 98");
    assert_eq!(line("x (2 schedules, 0.00 s)"), "x (2 schedules, …");
    assert_eq!(line("Page:  a/report.html"), "");
    assert_eq!(line("    47 | lock(); 5 sheep"), "    47 | lock(); 5 sheep");
}
