//! Kills of the tool and of compilers, and edits of sources, at random moments of runs.

use std::collections::BTreeMap;
use std::fs;
use std::process::Child;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use atropos_protocol::signals::{self, ProcessHandle};

use super::{AttackOptions, Tally, Tree, UndisturbedRun, lines_of};
use crate::random::Random;

/// The exit codes that say that the command can't go on, that tests do not build, and that mutants were not tested.
const ERROR: i32 = 1;
const TESTS_FAIL: i32 = 4;
const NOT_TESTED: i32 = 5;

const SIGKILL: i32 = 9;

/// What is done to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Attack {
    KillTool,
    KillCompiler,
    EditSource,
}

impl Attack {
    fn name(self) -> &'static str {
        match self {
            Attack::KillTool => "tool killed at a random moment",
            Attack::KillCompiler => "compiler killed",
            Attack::EditSource => "source edited during a run",
        }
    }
}

/// Who is killed.
#[derive(Clone, Copy, Debug)]
enum Killed {
    /// The process that the user started.
    Driver,
    /// Its group, as a terminal does.
    Group,
    /// It and all below it.
    Tree,
}

const KILLED: [Killed; 3] = [Killed::Driver, Killed::Group, Killed::Tree];

/// What is done to a source.
#[derive(Clone, Copy, Debug)]
enum Edit {
    LineAtTheEnd,
    /// All mutants get other lines.
    LineAtTheBeginning,
    /// What is there can't be compiled.
    Broken,
    Removed,
}

const EDITS: [Edit; 4] = [
    Edit::LineAtTheEnd,
    Edit::LineAtTheBeginning,
    Edit::Broken,
    Edit::Removed,
];

/// Kills and edits, the three of them in turn.
pub fn attack(
    options: &AttackOptions,
    subjects: &[(Tree, UndisturbedRun)],
    tally: &mut Tally,
    is_over: &dyn Fn() -> bool,
) {
    let mut random = Random::new(options.seed);
    let attacks = [
        (Attack::KillTool, options.kills),
        (Attack::KillCompiler, options.compilers),
        (Attack::EditSource, options.edits),
    ];
    let most = attacks.map(|(_, times)| times).into_iter().max();
    let turns = (0..most.unwrap_or_default())
        .flat_map(|turn| attacks.map(|(attack, times)| (turn, attack, times)));
    for (turn, attack, _) in turns.filter(|(turn, _, times)| turn < times) {
        if is_over() {
            break;
        }
        let (tree, peace) = &subjects[turn % subjects.len()];
        let which = turn / subjects.len();
        let result = match attack {
            Attack::KillTool => kill_tool(tree, peace, KILLED[which % 3], &mut random),
            Attack::KillCompiler => kill_compiler(tree, peace, &mut random),
            Attack::EditSource => edit_source(tree, peace, EDITS[which % 4], &mut random),
        };
        tally.note(attack.name(), tree.name, result);
    }
}

/// A moment of a run.
fn moment(peace: &UndisturbedRun, random: &mut Random) -> Duration {
    Duration::from_millis(random.next() % peace.time.as_millis().max(1) as u64)
}

fn kill_tool(
    tree: &Tree,
    peace: &UndisturbedRun,
    killed: Killed,
    random: &mut Random,
) -> Result<()> {
    tree.forget_runs();
    let mut child = tree.start(&[])?;
    let moment = moment(peace, random);
    thread::sleep(moment);
    kill(&mut child, killed)?;
    let context = || format!("{killed:?} killed after {moment:?}");
    tree.recovers(peace).with_context(context)
}

fn kill(child: &mut Child, killed: Killed) -> Result<()> {
    let driver = child.id() as i32;
    match killed {
        Killed::Driver => child.kill()?,
        // It may have ended by itself.
        Killed::Group => drop(signals::to_group(driver, SIGKILL)),
        Killed::Tree => {
            let mut open: Vec<_> = ProcessHandle::open(driver).into_iter().collect();
            while let Some(process) = open.pop() {
                open.extend(process.children());
                process.kill();
            }
        }
    }
    child.wait()?;
    Ok(())
}

fn kill_compiler(tree: &Tree, peace: &UndisturbedRun, random: &mut Random) -> Result<()> {
    // Which call is the last one depends on which units are compiled at the same time.
    for _ in 0..10 {
        tree.forget_runs();
        let fatal = 1 + random.next() % peace.compiler_calls.max(1);
        let (compiler, count) = tree.deadly_compiler(fatal)?;
        let code = tree.end(tree.start(&[("RUSTC", &compiler)])?)?;
        let calls = lines_of(&count);
        if calls < fatal {
            continue;
        }
        if code != NOT_TESTED {
            bail!("the run whose compiler was killed at call {fatal} of {calls} ends with {code}");
        }
        let context = || format!("compiler killed at call {fatal} of {calls}");
        return tree.recovers(peace).with_context(context);
    }
    bail!("no compiler could be killed")
}

fn edit_source(tree: &Tree, peace: &UndisturbedRun, edit: Edit, random: &mut Random) -> Result<()> {
    tree.forget_runs();
    let file = tree.directory.join("src/lib.rs");
    let text = fs::read_to_string(&file)?;
    let child = tree.start(&[])?;
    let moment = moment(peace, random);
    thread::sleep(moment);
    match edit {
        Edit::LineAtTheEnd => fs::write(&file, format!("{text}\n// edited\n"))?,
        Edit::LineAtTheBeginning => fs::write(&file, format!("// edited\n{text}"))?,
        Edit::Broken => fs::write(&file, format!("{text}\n}}\n"))?,
        Edit::Removed => fs::remove_file(&file)?,
    }
    let code = tree.end(child);
    fs::write(&file, &text)?;
    let code = code?;
    let result = match (code, edit) {
        // An edit before the sources are read, or after all is done, changes nothing.
        _ if code == peace.code => has_verdicts_of_one_text(tree, peace),
        (ERROR, _) | (TESTS_FAIL, Edit::Broken | Edit::Removed) => Ok(()),
        _ => bail!("{edit:?} after {moment:?}: the run ends with {code}"),
    };
    let context = || format!("{edit:?} after {moment:?}");
    result
        .and_then(|()| tree.recovers(peace))
        .with_context(context)
}

/// What a run says that ended as usual is all about the text before an edit, or all about the one after it.
fn has_verdicts_of_one_text(tree: &Tree, peace: &UndisturbedRun) -> Result<()> {
    let verdicts = tree.verdicts()?;
    let later: BTreeMap<String, String> = peace
        .verdicts
        .iter()
        .map(|(name, verdict)| (one_line_later(name), verdict.clone()))
        .collect();
    let is_of = |text: &BTreeMap<String, String>| {
        let has = |(name, verdict): (&String, &String)| {
            text.get(name).is_some_and(|expected| {
                // On a busy machine some are undecided.
                expected == verdict || verdict == "undecided"
            })
        };
        verdicts.len() == text.len() && verdicts.iter().all(has)
    };
    match is_of(&peace.verdicts) || is_of(&later) {
        true => Ok(()),
        false => bail!("the attacked run ends as usual, with verdicts of no text that there was"),
    }
}

/// The name of a mutant of the edited file if a line is put before all others.
fn one_line_later(name: &str) -> String {
    let Some(rest) = name.strip_prefix("src/lib.rs:") else {
        return name.to_owned();
    };
    let (line, rest) = rest.split_once(':').unwrap_or((rest, ""));
    let line: u64 = line.parse().unwrap_or_default();
    format!("src/lib.rs:{}:{rest}", line + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_mutants_of_the_edited_file_get_another_line() {
        assert_eq!(one_line_later("src/lib.rs:9:3: a"), "src/lib.rs:10:3: a");
        assert_eq!(one_line_later("src/a.rs:9:3: a"), "src/a.rs:9:3: a");
    }
}
