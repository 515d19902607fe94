//! `cargo atropos review`: walk through what no test notices, in the terminal: see each change with all that is known of it,
//! accept it with a reason, or open the editor at its line.
//!
//! [`Review`] is what is shown and knows neither keys of a real terminal nor files; [`screen`] draws it.

mod screen;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail};
use atropos_report::outcomes::{MutantRecord, Outcomes};
use atropos_report::verdict::Verdict;
use clap::Args;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::accepted;
use crate::arguments::{Options, OutputOptions, TreeOptions};
use crate::exit_code::ExitCode;
use crate::prepare::set_up;
use crate::show;

pub const REVIEW_EXAMPLES: &str = "\
Keys:
  j, k, arrows     the next change, the one before
  g, G             the first, the last
  PageUp, PageDown scroll what is known of it
  /                only those with these words in their names
  a                accept it: type a reason, then Enter
  e                open $EDITOR at its line
  q                leave

Examples:
  cargo atropos review                  the survivors of the last run";

/// `cargo atropos review`
#[derive(Args, Clone, Debug)]
pub struct ReviewArguments {
    /// Of the last run of the package or workspace in this directory
    #[arg(short, long, value_name = "DIR")]
    pub dir: Option<PathBuf>,

    #[command(flatten)]
    pub output: OutputOptions,
}

/// One change that no test notices.
struct Change {
    record: MutantRecord,
    /// All that is known of it, as `show` prints it, without colours.
    page: String,
    is_accepted: bool,
}

/// What the keys mean at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Mode {
    Browse,
    /// Words are typed that names must hold.
    Filter,
    /// A reason is typed.
    Accept(String),
}

/// What a key asks for that the review can't do by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
enum KeyAction {
    Nothing,
    Quit,
    /// The change at this index, for this reason.
    Accept(usize, String),
    /// The change at this index.
    Edit(usize),
}

/// What is shown.
struct Review {
    changes: Vec<Change>,
    filter: String,
    /// Among those that the filter leaves.
    selected: usize,
    scroll: u16,
    mode: Mode,
    message: String,
}

impl Review {
    fn new(changes: Vec<Change>) -> Review {
        Review {
            changes,
            filter: String::new(),
            selected: 0,
            scroll: 0,
            mode: Mode::Browse,
            message: String::new(),
        }
    }

    /// The indices of the changes that the filter leaves.
    fn shown(&self) -> Vec<usize> {
        let words: Vec<String> = self
            .filter
            .to_lowercase()
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        let is_meant = |change: &Change| {
            let name = change.record.info.name().to_lowercase();
            words.iter().all(|word| name.contains(word))
        };
        let all = self.changes.iter().enumerate();
        all.filter(|(_, change)| is_meant(change))
            .map(|(index, _)| index)
            .collect()
    }

    /// The change that is looked at.
    fn current(&self) -> Option<usize> {
        self.shown().get(self.selected).copied()
    }

    fn select(&mut self, selected: usize) {
        self.selected = selected.min(self.shown().len().saturating_sub(1));
        self.scroll = 0;
    }

    fn key(&mut self, key: KeyEvent) -> KeyAction {
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return KeyAction::Quit;
        }
        match self.mode.clone() {
            Mode::Browse => self.browse(key.code),
            Mode::Filter => self.type_filter(key.code),
            Mode::Accept(reason) => self.type_reason(key.code, reason),
        }
    }

    fn browse(&mut self, code: KeyCode) -> KeyAction {
        self.message.clear();
        match code {
            KeyCode::Char('q') | KeyCode::Esc => return KeyAction::Quit,
            KeyCode::Char('j') | KeyCode::Down => self.select(self.selected + 1),
            KeyCode::Char('k') | KeyCode::Up => self.select(self.selected.saturating_sub(1)),
            KeyCode::Char('g') | KeyCode::Home => self.select(0),
            KeyCode::Char('G') | KeyCode::End => self.select(usize::MAX),
            KeyCode::PageDown => self.scroll = self.scroll.saturating_add(5),
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(5),
            KeyCode::Char('/') => self.mode = Mode::Filter,
            KeyCode::Char('a') if self.current().is_some() => {
                self.mode = Mode::Accept(String::new())
            }
            KeyCode::Char('e') => {
                return self.current().map_or(KeyAction::Nothing, KeyAction::Edit);
            }
            _ => {}
        }
        KeyAction::Nothing
    }

    fn type_filter(&mut self, code: KeyCode) -> KeyAction {
        match code {
            KeyCode::Enter => self.mode = Mode::Browse,
            KeyCode::Esc => {
                self.filter.clear();
                self.mode = Mode::Browse;
            }
            KeyCode::Backspace => {
                self.filter.pop();
            }
            KeyCode::Char(letter) => self.filter.push(letter),
            _ => {}
        }
        self.select(0);
        KeyAction::Nothing
    }

    fn type_reason(&mut self, code: KeyCode, mut reason: String) -> KeyAction {
        match code {
            KeyCode::Enter if reason.trim().is_empty() => {
                self.message = "a reason is needed".to_owned();
                return KeyAction::Nothing;
            }
            KeyCode::Enter => {
                self.mode = Mode::Browse;
                let reason = reason.trim().to_owned();
                return self
                    .current()
                    .map_or(KeyAction::Nothing, |index| KeyAction::Accept(index, reason));
            }
            KeyCode::Esc => {
                self.mode = Mode::Browse;
                return KeyAction::Nothing;
            }
            KeyCode::Backspace => {
                reason.pop();
            }
            KeyCode::Char(letter) => reason.push(letter),
            _ => {}
        }
        self.mode = Mode::Accept(reason);
        KeyAction::Nothing
    }
}

/// What no test notices, the most disturbing first.
fn changes(outcomes: &Outcomes, root: &Path) -> Vec<Change> {
    let is_missed = |record: &&MutantRecord| record.verdict.is_some_and(Verdict::is_missed);
    let mut records: Vec<&MutantRecord> = outcomes.mutants.iter().filter(is_missed).collect();
    records.sort_by_key(|record| (record.rank.unwrap_or(usize::MAX), record.info.id));
    let change = |record: &MutantRecord| {
        let source = fs::read_to_string(root.join(&record.info.file)).ok();
        let page = show::page(record, &outcomes.tests, source.as_deref(), true);
        Change {
            record: record.clone(),
            page: anstream::adapter::strip_str(&page).to_string(),
            is_accepted: false,
        }
    };
    records.into_iter().map(change).collect()
}

/// Shows the survivors of the last run until the user leaves.
pub fn review(arguments: ReviewArguments) -> Result<ExitCode> {
    let setup = set_up(Options {
        tree: TreeOptions {
            dir: arguments.dir,
            ..TreeOptions::default()
        },
        output: arguments.output,
        ..Options::default()
    })?;
    let outcomes = setup.last_run("review")?;
    let root = setup.workspace.root().as_std_path().to_owned();
    let changes = changes(&outcomes, &root);
    if changes.is_empty() {
        setup
            .terminal
            .note("there is nothing to review: tests noticed every change of the last run");
        return Ok(ExitCode::Success);
    }
    if !std::io::IsTerminal::is_terminal(&std::io::stdout()) {
        bail!("`review` needs a terminal; `cargo atropos report --format text` prints everything");
    }
    let mut terminal = ratatui::try_init().context("can't use the terminal")?;
    let walked = walk(&mut terminal, Review::new(changes), &root);
    ratatui::restore();
    walked?;
    Ok(ExitCode::Success)
}

fn walk(terminal: &mut DefaultTerminal, mut review: Review, root: &Path) -> Result<()> {
    loop {
        terminal.draw(|frame| screen::draw(frame, &review))?;
        let Event::Key(key) = event::read()? else {
            continue;
        };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        match review.key(key) {
            KeyAction::Nothing => {}
            KeyAction::Quit => return Ok(()),
            KeyAction::Accept(index, reason) => {
                let change = &mut review.changes[index];
                review.message = match accepted::add(root, &[&change.record], &reason) {
                    Ok(_) => {
                        change.is_accepted = true;
                        format!("accepted in {}", accepted::FILE_NAME)
                    }
                    Err(error) => format!("{error:#}"),
                };
            }
            KeyAction::Edit(index) => {
                ratatui::restore();
                let info = &review.changes[index].record.info;
                let edited = edit(&root.join(&info.file), info.line);
                *terminal = ratatui::try_init().context("can't use the terminal")?;
                terminal.clear()?;
                if let Err(error) = edited {
                    review.message = format!("{error:#}");
                }
            }
        }
    }
}

/// Opens the user's editor at a line.
fn edit(file: &Path, line: u32) -> Result<()> {
    let editor = env::var("VISUAL").or_else(|_| env::var("EDITOR"));
    let editor = editor.context("$EDITOR names no editor")?;
    let mut words = editor.split_whitespace();
    let program = words.next().context("$EDITOR names no editor")?;
    let status = Command::new(program)
        .args(words)
        .args(at_line(program, &file.display().to_string(), line))
        .status();
    let status = status.with_context(|| format!("can't start `{program}`"))?;
    match status.success() {
        true => Ok(()),
        false => bail!("`{program}` ended with {status}"),
    }
}

/// What makes an editor open a file at a line.
fn at_line(program: &str, file: &str, line: u32) -> Vec<String> {
    let name = program.rsplit('/').next().unwrap_or(program);
    match name {
        "code" | "codium" | "code-insiders" | "cursor" => {
            vec!["--goto".to_owned(), format!("{file}:{line}")]
        }
        "subl" | "zed" | "hx" | "helix" => vec![format!("{file}:{line}")],
        // As vi, emacs, nano, and most others read it.
        _ => vec![format!("+{line}"), file.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use atropos_mutants::{MutantId, Operator, Span};
    use atropos_report::mutant::MutantInfo;

    use super::*;

    #[test]
    fn editors_are_told_of_the_line_in_their_own_way() {
        let told = |program| at_line(program, "src/a.rs", 7).join(" ");
        assert_eq!(told("vi"), "+7 src/a.rs");
        assert_eq!(told("/usr/bin/code"), "--goto src/a.rs:7");
        assert_eq!(told("hx"), "src/a.rs:7");
    }

    pub(super) fn review_of(functions: &[&str]) -> Review {
        let change = |(index, function): (usize, &&str)| Change {
            record: MutantRecord {
                info: MutantInfo {
                    id: MutantId(index as u32 + 1),
                    key: format!("key-{index}"),
                    package: "p".into(),
                    file: "src/lib.rs".into(),
                    line: index as u32 + 10,
                    column: 1,
                    span: Span::new(0, 1),
                    function: (*function).into(),
                    operator: Operator::Aor,
                    original: "+".into(),
                    replacement: "-".into(),
                    summary: "replace + with -".into(),
                    needs_exploration: false,
                },
                verdict: Some(Verdict::Survived),
                reached_by: Vec::new(),
                killed_by: Vec::new(),
                seconds: 0.0,
                reused: false,
                note: None,
                disagreement: Vec::new(),
                explored_by: Vec::new(),
                rank: Some(index + 1),
                impact: None,
            },
            page: format!("page of {function}\n-a + b\n+a - b\n"),
            is_accepted: false,
        };
        Review::new(functions.iter().enumerate().map(change).collect())
    }

    fn press(review: &mut Review, keys: &str) -> KeyAction {
        let mut request = KeyAction::Nothing;
        for letter in keys.chars() {
            let code = match letter {
                '\n' => KeyCode::Enter,
                '\u{1b}' => KeyCode::Esc,
                '\u{8}' => KeyCode::Backspace,
                letter => KeyCode::Char(letter),
            };
            request = review.key(KeyEvent::from(code));
        }
        request
    }

    #[test]
    fn keys_walk_and_stop_at_both_ends() {
        let mut review = review_of(&["one", "two", "three"]);
        press(&mut review, "kj");
        assert_eq!(review.current(), Some(1));
        press(&mut review, "jjj");
        assert_eq!(review.current(), Some(2));
        press(&mut review, "g");
        assert_eq!(review.current(), Some(0));
        press(&mut review, "G");
        assert_eq!(review.current(), Some(2));
        assert_eq!(press(&mut review, "e"), KeyAction::Edit(2));
        assert_eq!(press(&mut review, "q"), KeyAction::Quit);
    }

    #[test]
    fn a_filter_leaves_what_it_names_and_escape_takes_it_back() {
        let mut review = review_of(&["one", "two", "three"]);
        press(&mut review, "/THREE\n");
        assert_eq!(review.shown(), [2]);
        assert_eq!(press(&mut review, "e"), KeyAction::Edit(2));
        press(&mut review, "/x");
        assert_eq!(review.current(), None);
        assert_eq!(press(&mut review, "\n"), KeyAction::Nothing);
        assert_eq!(press(&mut review, "ae"), KeyAction::Nothing);
        press(&mut review, "/\u{1b}");
        assert_eq!(review.shown().len(), 3);
    }

    #[test]
    fn accepting_needs_a_reason() {
        let mut review = review_of(&["one", "two"]);
        assert_eq!(press(&mut review, "ja\n"), KeyAction::Nothing);
        assert_eq!(review.message, "a reason is needed");
        let request = press(&mut review, "a hinx\u{8}t q\n");
        assert_eq!(request, KeyAction::Accept(1, "a hint q".to_owned()));
        assert_eq!(review.mode, Mode::Browse);
        assert_eq!(press(&mut review, "ano\u{1b}"), KeyAction::Nothing);
        assert_eq!(review.mode, Mode::Browse);
    }
}
