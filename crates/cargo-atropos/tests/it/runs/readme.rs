//! The run that the README shows, and the schedules that the book shows, are what the command prints.

use crate::runs::tree::Tree;

const README: &str = include_str!("../../../../../README.md");
const SCHEDULES: &str = include_str!("../../../../../docs/src/schedules.md");

/// The first fenced text of a document, without what is left out of it and what differs from machine to machine.
fn shown(document: &str) -> Vec<&str> {
    let (_, text) = document.split_once("\n```text\n").expect("a text");
    let (text, _) = text.split_once("\n```").expect("it ends");
    let varies = |line: &&str| line.starts_with("Time: ") || line.starts_with("Page: ");
    let lines = text.lines().map(without_seconds);
    lines
        .filter(|line| !line.is_empty() && *line != "[…]" && !varies(line))
        .collect()
}

/// A line without the seconds at its end: `… (2 schedules, 0.00 s)`.
fn without_seconds(line: &str) -> &str {
    match line.rsplit_once(", ") {
        Some((start, end)) if end.ends_with(" s)") => start,
        _ => line,
    }
}

#[track_caller]
fn each_is_printed_in_order(shown: &[&str], printed: &str) {
    let mut rest = printed.lines().map(without_seconds);
    for line in shown {
        assert!(
            rest.any(|printed| printed == *line),
            "the document shows, but the command does not print, at least not there:\n{line}\n\nit prints:\n{printed}"
        );
    }
}

#[test]
fn the_run_in_the_readme_is_what_the_command_prints() {
    let tree = Tree::of("../examples/bank");
    let run = tree.run(&["run"]).has_code(2);
    each_is_printed_in_order(&shown(README), &run.stdout);
}

#[test]
fn the_schedules_in_the_book_are_what_the_command_prints() {
    let tree = Tree::of("schedules");
    let run = tree.run(&["explore"]).has_code(2);
    each_is_printed_in_order(&shown(SCHEDULES), &run.stdout);
}
