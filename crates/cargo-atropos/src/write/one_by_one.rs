//! `cargo atropos write --review`: goes through the assertions one by one and asks what shall become of each.

use std::io::{self, BufRead, Write};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context as _, Result, bail};

use super::capturing::TextsOfFiles;
use super::patch::{self, PatchHunk};
use crate::plan::Plan;
use crate::terminal::Terminal;

/// What shall become of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HunkDecision {
    Accept,
    Edit,
    Skip,
    AcceptAll,
    Quit,
}

/// The answer on a line; none if it is none.
fn decision(line: &str) -> Option<HunkDecision> {
    Some(match line.trim().to_lowercase().as_str() {
        "a" | "accept" | "y" | "yes" => HunkDecision::Accept,
        "e" | "edit" => HunkDecision::Edit,
        "s" | "skip" | "n" | "no" => HunkDecision::Skip,
        "all" => HunkDecision::AcceptAll,
        "q" | "quit" => HunkDecision::Quit,
        _ => return None,
    })
}

/// The hunks that the user takes, as edited. Where the answers end, the rest is skipped.
pub fn review(
    plan: &Plan,
    texts: &TextsOfFiles,
    hunks: Vec<PatchHunk>,
    terminal: Terminal,
) -> Result<Vec<PatchHunk>> {
    let mut stdout = terminal.stdout();
    let mut answers = io::stdin().lock();
    let mut accepted = Vec::new();
    let number = hunks.len();
    let mut takes_all = false;
    for (index, mut hunk) in hunks.into_iter().enumerate() {
        if takes_all {
            accepted.push(hunk);
            continue;
        }
        let changed = patch::new_texts(plan, texts, &[&hunk]);
        write!(stdout, "{}", patch::patch(texts, &changed, &[&hunk]))?;
        for (id, name) in &hunk.kills {
            writeln!(stdout, "kills {id}: {name}")?;
        }
        for remark in &hunk.remarks {
            writeln!(stdout, "note: {remark}")?;
        }
        let question = format!(
            "{} of {number}: [a]ccept, [e]dit, [s]kip, [all] that follow, [q]uit? ",
            index + 1
        );
        match ask(&question, &mut stdout, &mut answers)? {
            HunkDecision::Accept => accepted.push(hunk),
            HunkDecision::Edit => {
                hunk.text = edited(&hunk.text)?;
                accepted.push(hunk);
            }
            HunkDecision::Skip => {}
            HunkDecision::AcceptAll => {
                takes_all = true;
                accepted.push(hunk);
            }
            HunkDecision::Quit => break,
        }
    }
    Ok(accepted)
}

/// Asks until there is an answer, or the answers have ended.
fn ask(
    question: &str,
    output: &mut impl Write,
    answers: &mut impl BufRead,
) -> Result<HunkDecision> {
    loop {
        write!(output, "{question}")?;
        output.flush()?;
        let mut line = String::new();
        if answers
            .read_line(&mut line)
            .context("can't read an answer")?
            == 0
        {
            writeln!(output)?;
            return Ok(HunkDecision::Quit);
        }
        if let Some(decision) = decision(&line) {
            return Ok(decision);
        }
    }
}

/// The text as the user's editor left it. What was edited is no longer proven.
fn edited(text: &str) -> Result<String> {
    let editor = env::var("VISUAL").or_else(|_| env::var("EDITOR"));
    let editor = editor.context("$EDITOR names no editor")?;
    let file = tempfile::Builder::new().suffix(".rs").tempfile()?;
    fs::write(file.path(), text.trim_start_matches('\n'))?;
    let mut words = editor.split_whitespace();
    let program = words.next().context("$EDITOR names no editor")?;
    let status = Command::new(program).args(words).arg(file.path()).status();
    let status = status.with_context(|| format!("can't start `{program}`"))?;
    if !status.success() {
        bail!("`{program}` ended with {status}");
    }
    let new = fs::read_to_string(file.path())?;
    let begins = if text.starts_with('\n') { "\n" } else { "" };
    let ends = if text.ends_with('\n') { "\n" } else { "" };
    Ok(format!("{begins}{}{ends}", new.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_answer_is_asked_again_and_the_end_of_answers_is_the_end() {
        let mut shown = Vec::new();
        let mut answers = io::Cursor::new(b"what\nskip\n".to_vec());
        assert_eq!(
            ask("?", &mut shown, &mut answers).unwrap(),
            HunkDecision::Skip
        );
        assert_eq!(
            ask("?", &mut shown, &mut answers).unwrap(),
            HunkDecision::Quit
        );
        assert_eq!(String::from_utf8(shown).unwrap(), "???\n");
    }
}
