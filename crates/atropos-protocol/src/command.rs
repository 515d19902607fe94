//! The commands that the driver sends to a zygote and the answers, as lines of text.
//!
//! A line is a word and its fields, separated by tabs; within a field, tab, newline and backslash
//! are escaped. All bulk (wanted mutants, figures, verdicts) goes over the board.

use std::path::PathBuf;

use crate::VERSION;

/// How a test's mutants are to be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunMode {
    /// The original runs once; each mutant is forked where it first differs.
    Fork,
    /// Each mutant gets a process of its own from the test's start.
    Each,
    /// A worker runs the test again and again, one mutant after another.
    Batch,
}

/// What the driver asks for. Tests are numbered as the zygote listed them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ZygoteCommand {
    List,
    Baseline {
        test: usize,
        /// Where the test's output goes.
        capture: PathBuf,
    },
    Run {
        mode: RunMode,
        test: usize,
    },
}

/// What the zygote answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The first line: this is a zygote that speaks this version.
    Hello {
        version: u64,
    },
    /// This many `Test` lines follow.
    Tests(usize),
    Test(Test),
    /// The command is done; see the board.
    Done,
    /// The command could not be carried out.
    Error(String),
}

/// A test as the zygote lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    pub name: String,
    /// `#[ignore]`d and not asked for by an argument: not to be run.
    pub ignored: bool,
    pub should_panic: bool,
}

impl ZygoteCommand {
    pub fn to_line(&self) -> String {
        match self {
            ZygoteCommand::List => line(&["list"]),
            ZygoteCommand::Baseline { test, capture } => {
                line(&["baseline", &test.to_string(), &capture.to_string_lossy()])
            }
            ZygoteCommand::Run { mode, test } => {
                let mode = match mode {
                    RunMode::Fork => "fork",
                    RunMode::Each => "each",
                    RunMode::Batch => "batch",
                };
                line(&[mode, &test.to_string()])
            }
        }
    }

    pub fn parse(line: &str) -> Option<ZygoteCommand> {
        let fields = fields(line);
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        Some(match fields[..] {
            ["list"] => ZygoteCommand::List,
            ["baseline", test, capture] => ZygoteCommand::Baseline {
                test: test.parse().ok()?,
                capture: capture.into(),
            },
            [mode, test] => ZygoteCommand::Run {
                mode: match mode {
                    "fork" => RunMode::Fork,
                    "each" => RunMode::Each,
                    "batch" => RunMode::Batch,
                    _ => return None,
                },
                test: test.parse().ok()?,
            },
            _ => return None,
        })
    }
}

impl Reply {
    pub fn hello() -> Reply {
        Reply::Hello { version: VERSION }
    }

    pub fn to_line(&self) -> String {
        match self {
            Reply::Hello { version } => line(&["atropos", &version.to_string()]),
            Reply::Tests(count) => line(&["tests", &count.to_string()]),
            Reply::Test(test) => line(&[
                "test",
                if test.ignored { "ignored" } else { "run" },
                if test.should_panic {
                    "panics"
                } else {
                    "returns"
                },
                &test.name,
            ]),
            Reply::Done => line(&["done"]),
            Reply::Error(text) => line(&["error", text]),
        }
    }

    pub fn parse(line: &str) -> Option<Reply> {
        let fields = fields(line);
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        Some(match fields[..] {
            ["atropos", version] => Reply::Hello {
                version: version.parse().ok()?,
            },
            ["tests", count] => Reply::Tests(count.parse().ok()?),
            ["test", ignored, panics, name] => Reply::Test(Test {
                name: name.to_owned(),
                ignored: ignored == "ignored",
                should_panic: panics == "panics",
            }),
            ["done"] => Reply::Done,
            ["error", text] => Reply::Error(text.to_owned()),
            _ => return None,
        })
    }
}

pub(crate) fn line(fields: &[&str]) -> String {
    let mut line = String::new();
    for (number, field) in fields.iter().enumerate() {
        if number > 0 {
            line.push('\t');
        }
        for character in field.chars() {
            match character {
                '\t' => line.push_str("\\t"),
                '\n' => line.push_str("\\n"),
                '\\' => line.push_str("\\\\"),
                _ => line.push(character),
            }
        }
    }
    line.push('\n');
    line
}

pub(crate) fn fields(line: &str) -> Vec<String> {
    line.trim_end_matches('\n')
        .split('\t')
        .map(unescape)
        .collect()
}

fn unescape(field: &str) -> String {
    let mut text = String::new();
    let mut characters = field.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '\\' => match characters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some(other) => other,
                None => '\\',
            },
            _ => character,
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_survive_the_wire() {
        for request in [
            ZygoteCommand::List,
            ZygoteCommand::Baseline {
                test: 3,
                capture: "a\tb\\n\n".into(),
            },
            ZygoteCommand::Run {
                mode: RunMode::Fork,
                test: 0,
            },
            ZygoteCommand::Run {
                mode: RunMode::Each,
                test: 1,
            },
            ZygoteCommand::Run {
                mode: RunMode::Batch,
                test: 2,
            },
        ] {
            let line = request.to_line();
            assert_eq!(line.matches('\n').count(), 1);
            assert_eq!(ZygoteCommand::parse(&line), Some(request));
        }
        assert_eq!(ZygoteCommand::parse("dance\t1"), None);
        assert_eq!(ZygoteCommand::parse("fork\tx"), None);
    }

    #[test]
    fn replies_survive_the_wire() {
        for reply in [
            Reply::hello(),
            Reply::Tests(2),
            Reply::Test(Test {
                name: "a::b".into(),
                ignored: true,
                should_panic: false,
            }),
            Reply::Done,
            Reply::Error("no\nway".into()),
        ] {
            assert_eq!(Reply::parse(&reply.to_line()), Some(reply));
        }
        assert_eq!(Reply::parse(""), None);
    }
}
