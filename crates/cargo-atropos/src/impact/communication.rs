//! What threads of survivors told each other that those of the original never did: found while their schedules were
//! explored, named here after the source, and made into what no test checks.

use std::collections::BTreeSet;
use std::path::Path;

use atropos_protocol::communication::InteractionKind;
use atropos_report::communication::{ActRecord, CommunicationRecord};
use atropos_report::impact::Suggestion;
use atropos_report::mutant::MutantInfo;
use atropos_report::outcomes::{Exploration, TestRecord};

use super::assertion;
use super::program::ObservedProgram;
use crate::source::SourceTexts;

/// What threads told each other under some tests, each piece once, with the names of what they touched.
pub fn gather(
    explored: &[Exploration],
    texts: &SourceTexts,
    root: &Path,
) -> Vec<CommunicationRecord> {
    let mut gathered: Vec<CommunicationRecord> = Vec::new();
    for new in explored.iter().flat_map(|explored| &explored.unseen) {
        match gathered.iter_mut().find(|known| known.is_like(new)) {
            Some(known) => known.certain |= new.certain,
            None => gathered.push(new.clone()),
        }
    }
    for act in gathered.iter_mut().flat_map(|new| &mut new.acts) {
        let text = texts.get(&act.file).cloned();
        let text = text.or_else(|| std::fs::read_to_string(root.join(&act.file)).ok());
        act.what = text.and_then(|text| named(&text, act.line));
        act.file = short(&act.file).to_owned();
    }
    gathered.sort_by(|one, other| {
        let by_rank = one.kind.rank().cmp(&other.kind.rank());
        by_rank.then_with(|| one.cmp(other))
    });
    gathered
}

/// A file of a dependency without the way to where it is kept.
fn short(file: &str) -> &str {
    let kept = file.split_once("/registry/src/");
    kept.and_then(|(_, rest)| rest.split_once('/'))
        .map_or(file, |(_, rest)| rest)
}

/// Methods through which threads meet.
const METHODS: &[&str] = &[
    ".lock(",
    ".try_lock(",
    ".read(",
    ".try_read(",
    ".write(",
    ".try_write(",
    ".load(",
    ".store(",
    ".swap(",
    ".fetch_",
    ".compare_exchange",
    ".notify_",
    ".wait",
    ".send(",
    ".try_send(",
    ".recv(",
    ".try_recv(",
    ".get_or_init(",
    ".get()",
];

/// What a line works on: `entries` in `self.entries.lock()`.
fn named(text: &str, line: u32) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let at = (line as usize).checked_sub(1)?;
    let here = lines.get(at)?;
    let start = METHODS
        .iter()
        .filter_map(|method| here.find(method))
        .min()?;
    let before = here[..start].trim();
    let before = match (before, at.checked_sub(1)) {
        ("", Some(above)) => lines[above].trim(),
        (before, _) => before,
    };
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let name = before.rsplit(|letter| !is_part(letter)).next()?;
    let is_name = name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
    (is_name && name != "self").then(|| name.to_owned())
}

/// The interleaving that no test checks, and the threads that would have to be started for it.
pub fn suggest(
    mutant: &MutantInfo,
    communications: &[CommunicationRecord],
    program: &ObservedProgram,
) -> Option<Suggestion> {
    // What others do to the mutant's own function says most.
    let is_own = |act: &ActRecord| {
        let function = program.function_at_line(&act.file, act.line);
        function.is_some_and(|function| function.name == mutant.function)
    };
    let is_elsewhere = |new: &CommunicationRecord| match &new.acts[..] {
        [first, _, last] => !(is_own(first) && is_own(last)),
        acts => !acts.iter().any(is_own),
    };
    let best = communications.iter().min_by_key(|new| {
        let is_elsewhere = is_elsewhere(new);
        let is_foreign = new.is_in_dependencies();
        let is_far = is_far(new, program);
        (
            !new.certain,
            is_foreign,
            is_elsewhere,
            new.kind.rank(),
            is_far,
        )
    })?;
    if best.is_in_dependencies() {
        return Some(inside_dependencies(mutant, communications));
    }
    let never = match best.certain {
        true => "without the change no schedule does that",
        false => "without the change none of the schedules explored does that",
    };
    let so_what = match (best.kind, best.certain) {
        (InteractionKind::Unordered, true) => {
            "and it is a data race, which Miri may see but no assertion"
        }
        (InteractionKind::Unordered, false) => {
            "and it may be a data race, which Miri may see but no assertion"
        }
        _ => "and no test asserts what then holds",
    };
    Some(Suggestion {
        words: format!("{}; {never}, {so_what}", best.words()),
        code: code(best, program).unwrap_or_default(),
    })
}

/// What to say where threads meet in nothing but dependencies: their lines tell a user of theirs little.
fn inside_dependencies(mutant: &MutantInfo, communications: &[CommunicationRecord]) -> Suggestion {
    let acts = communications.iter().flat_map(|new| &new.acts);
    let names: BTreeSet<&str> = acts.filter_map(ActRecord::dependency).collect();
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let place = match mutant.function.as_str() {
        "" => format!("line {}", mutant.line),
        function => format!("`{function}`"),
    };
    let ways = match communications.len() {
        1 => "a way".to_owned(),
        many => format!("{many} ways"),
    };
    Suggestion {
        words: format!(
            "threads in {place} meet inside {} in {ways} that no schedule showed without the change, and no test \
             asserts what then holds",
            names.join(", ")
        ),
        code: String::new(),
    }
}

/// Whether some of it happens outside the program, in a test or a dependency.
fn is_far(communication: &CommunicationRecord, program: &ObservedProgram) -> bool {
    let mut acts = communication.acts.iter();
    acts.any(|act| program.function_at_line(&act.file, act.line).is_none())
}

/// A test that could notice it: the functions in which threads meet, at the same time.
fn code(communication: &CommunicationRecord, program: &ObservedProgram) -> Option<String> {
    let (one, other) = match (&communication.acts[..], communication.kind) {
        (
            [one, other, ..],
            InteractionKind::Between | InteractionKind::Flow | InteractionKind::WakeUp,
        ) => (one, other),
        _ => return None,
    };
    let call = |act: &ActRecord| {
        program
            .function_at_line(&act.file, act.line)
            .and_then(assertion::call)
    };
    let (one, what) = (call(one)?, one.what.as_deref().or(other.what.as_deref()));
    let other = call(other)?;
    let what = what.map_or_else(|| "what both change".to_owned(), |what| format!("`{what}`"));
    Some(format!(
        "thread::scope(|scope| {{\n    scope.spawn(|| {one});\n    scope.spawn(|| {other});\n}});\n\
         // and then assert what {what} must be"
    ))
}

/// What to write for a concurrency mutant whose threads tell each other nothing new.
pub fn nothing_new(
    mutant: &MutantInfo,
    explored: &[Exploration],
    tests: &[TestRecord],
) -> Option<Suggestion> {
    let most = explored
        .iter()
        .max_by_key(|explored| explored.schedules)
        .filter(|explored| explored.schedules > 0)?;
    let test = tests.get(most.test).map_or("its test", |test| &test.name);
    let place = match mutant.function.as_str() {
        "" => format!("line {}", mutant.line),
        function => format!("`{function}`"),
    };
    Some(Suggestion {
        words: format!(
            "under `{test}` ({}) threads meet just as they do without the change: either nobody can \
             see it, or no test has another thread at work while one is in {place}",
            most.coverage
        ),
        code: String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_named_after_what_the_line_works_on() {
        let text = "let a = self.entries.lock().unwrap();\n\
                    COUNT.fetch_add(1, Relaxed);\n\
                    self.slots[index]\n    .lock();\n\
                    let n = self\n    .next\n    .load(Relaxed);\n\
                    self.lock();\n\
                    done()\n";
        let names: Vec<Option<String>> = (0..=10).map(|line| named(text, line)).collect();
        let names: Vec<Option<&str>> = names.iter().map(Option::as_deref).collect();
        let expected = [
            None,
            Some("entries"),
            Some("COUNT"),
            None,
            None,
            None,
            None,
            Some("next"),
            None,
            None,
            None,
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn the_way_to_a_dependency_is_left_out() {
        let file = "/home/me/.cargo/registry/src/index-1949cf8c6b5b557f/flume-0.11.1/src/lib.rs";
        assert_eq!(short(file), "flume-0.11.1/src/lib.rs");
        assert_eq!(short("src/lib.rs"), "src/lib.rs");
    }
}
