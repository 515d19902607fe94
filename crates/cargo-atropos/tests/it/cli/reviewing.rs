//! `review` in a real terminal: tmux draws it, and types.

use crate::cli::showing::after_a_run;
use crate::terminal::Terminal;

#[test]
fn survivors_are_walked_through_filtered_and_accepted_in_a_terminal() {
    let project = after_a_run();
    let program = env!("CARGO_BIN_EXE_cargo-atropos");
    let command = format!("'{program}' atropos review; echo \"ended with $?\"; sleep 60");
    let Some(terminal) = Terminal::start("review", &command, &project.path()) else {
        eprintln!("tmux is not installed, so the review was not tested in a terminal");
        return;
    };
    terminal.shows("that no test notices");
    terminal.shows("j/k next/previous");
    terminal.press("/");
    terminal.type_text("nothing like it");
    terminal.shows(" 0 of ");
    terminal.press("Escape");
    terminal.shows("j/k next/previous");
    terminal.press("a");
    terminal.type_text("a hint");
    terminal.shows("reason: a hint");
    terminal.press("Enter");
    terminal.shows("accepted in atropos-accepted.toml");
    terminal.press("q");
    terminal.shows("ended with 0");
    let accepted = std::fs::read_to_string(project.path().join("atropos-accepted.toml"));
    assert!(accepted.unwrap().contains("reason = \"a hint\""));
}

#[test]
fn without_a_terminal_another_command_is_named() {
    let answer = after_a_run().atropos(&["review"]);
    let advice =
        "`review` needs a terminal; `cargo atropos report --format text` prints everything";
    answer.is_error(1, advice);
}
