//! What the threads of one execution did, step by step: as an explored program tells the driver, and as text for people.
//!
//! Objects are numbered. The driver, which has the sources, may give them names ([`ThreadTrace::objects`]).

use std::fmt;

use crate::command::{fields, line};

/// All steps of an execution, or those that are worth showing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadTrace {
    /// By number, as far as there is something to tell of them.
    pub threads: Vec<TracedThread>,
    /// What each object is called, by number.
    pub objects: Vec<String>,
    pub steps: Vec<TraceStep>,
    /// Sentences on what is hard to see in the steps.
    pub notes: Vec<String>,
}

/// A thread of the execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TracedThread {
    /// Empty if it has none.
    pub name: String,
    /// Where it was started, as `file:line`; empty for the test's own.
    pub started_at: String,
}

/// One step, or several that are told as one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceStep {
    pub thread: u32,
    pub kind: StepKind,
    /// What was done, in words: `locks`.
    pub act: String,
    /// To what.
    pub object: Option<usize>,
    /// The lock that goes with a condition.
    pub lock: Option<usize>,
    /// Values and circumstances, as they follow the words: ` (3 → 4)`.
    pub detail: String,
    /// Where, as the compiler names the file; empty if that is unknown or tells nothing. Of several steps, the packages.
    pub file: String,
    pub line: u32,
    pub column: u32,
    /// The place in the user's own code from which a dependency was called, as `file:line`.
    pub caller: String,
    /// The earlier step that this one follows from: who gave the lock back, sent the message, wrote the value.
    pub follows_from: Option<usize>,
    /// The thread could not go on for a while before it.
    pub waited: bool,
}

macro_rules! step_kinds {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)*) => {
        /// What sort of step it is, as far as pictures tell sorts apart.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum StepKind {
            $($(#[$doc])* $name,)*
        }

        impl StepKind {
            const ALL: &[StepKind] = &[$(StepKind::$name,)*];

            /// One word.
            pub fn word(self) -> &'static str {
                match self {
                    $(StepKind::$name => $word,)*
                }
            }
        }
    };
}

step_kinds! {
    #[default]
    Other = "other",
    Begin = "begin",
    End = "end",
    Spawn = "spawn",
    Join = "join",
    Lock = "lock",
    Unlock = "unlock",
    /// On a condition; gives a lock back.
    Wait = "wait",
    /// From a condition; takes the lock again.
    Wake = "wake",
    Notify = "notify",
    Send = "send",
    Receive = "receive",
    Read = "read",
    Write = "write",
    /// Several steps, told as one.
    Folded = "folded",
    /// A step that never came: the thread waits for good.
    Blocked = "blocked",
    /// Steps of all threads that are left out.
    Gap = "gap",
}

/// How wide a trace may get before threads have to share columns.
const WIDTH: usize = 100;

/// Of a longer trace the beginning is shown and, because that tells more, most of the end.
const LONGEST: usize = 300;
const FIRST_STEPS: usize = 60;

impl ThreadTrace {
    /// How many threads there are.
    pub fn thread_count(&self) -> usize {
        let threads = self.steps.iter().map(|step| step.thread as usize + 1);
        threads.max().unwrap_or(0)
    }

    /// One line for each thread, object, step and note.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for thread in &self.threads {
            text += &line(&["thread", &thread.name, &thread.started_at]);
        }
        for object in &self.objects {
            text += &line(&["object", object]);
        }
        for step in &self.steps {
            text += &step.to_line();
        }
        for note in &self.notes {
            text += &line(&["note", note]);
        }
        text
    }

    pub fn parse(text: &str) -> Option<ThreadTrace> {
        let mut trace = ThreadTrace::default();
        for line in text.lines() {
            let words = fields(line);
            let known: Vec<&str> = words.iter().map(String::as_str).collect();
            match known[..] {
                ["thread", name, started_at] => trace.threads.push(TracedThread {
                    name: name.to_owned(),
                    started_at: started_at.to_owned(),
                }),
                ["object", name] => trace.objects.push(name.to_owned()),
                ["note", note] => trace.notes.push(note.to_owned()),
                ["step", ..] => trace.steps.push(TraceStep::parse(&known[1..])?),
                _ => return None,
            }
        }
        Some(trace)
    }

    /// A trace that people can read: those of long tests have a hundred thousand steps.
    #[must_use]
    pub fn shortened(mut self) -> ThreadTrace {
        let Some(surplus) = self
            .steps
            .len()
            .checked_sub(LONGEST)
            .filter(|surplus| *surplus > 0)
        else {
            return self;
        };
        let last = FIRST_STEPS + surplus;
        let gap = TraceStep {
            kind: StepKind::Gap,
            act: format!("[… {surplus} steps …]"),
            ..TraceStep::default()
        };
        self.steps.splice(FIRST_STEPS..last, [gap]);
        for step in &mut self.steps {
            step.follows_from = step.follows_from.and_then(|earlier| match earlier {
                ..FIRST_STEPS => Some(earlier),
                _ => (earlier + 1)
                    .checked_sub(surplus)
                    .filter(|at| *at > FIRST_STEPS),
            });
        }
        self
    }

    /// What a step did, to what, in words.
    pub fn words(&self, step: &TraceStep) -> String {
        let object = step.object.and_then(|object| self.objects.get(object));
        let object = object.map_or_else(String::new, |object| format!(" {object}"));
        format!("{}{object}{}", step.act, step.detail)
    }
}

impl TraceStep {
    fn to_line(&self) -> String {
        let number = |number: Option<usize>| number.map_or_else(String::new, |at| at.to_string());
        line(&[
            "step",
            &self.thread.to_string(),
            self.kind.word(),
            &self.act,
            &number(self.object),
            &number(self.lock),
            &self.detail,
            &self.file,
            &self.line.to_string(),
            &self.column.to_string(),
            &self.caller,
            &number(self.follows_from),
            if self.waited { "waited" } else { "" },
        ])
    }

    fn parse(words: &[&str]) -> Option<TraceStep> {
        let &[
            thread,
            kind,
            act,
            object,
            lock,
            detail,
            file,
            line,
            column,
            caller,
            follows_from,
            waited,
        ] = words
        else {
            return None;
        };
        let number = |word: &str| match word {
            "" => Some(None),
            word => word.parse().ok().map(Some),
        };
        let mut kinds = StepKind::ALL.iter();
        Some(TraceStep {
            thread: thread.parse().ok()?,
            kind: *kinds.find(|known| known.word() == kind)?,
            act: act.to_owned(),
            object: number(object)?,
            lock: number(lock)?,
            detail: detail.to_owned(),
            file: file.to_owned(),
            line: line.parse().ok()?,
            column: column.parse().ok()?,
            caller: caller.to_owned(),
            follows_from: number(follows_from)?,
            waited: waited == "waited",
        })
    }

    /// Where, for people.
    pub fn place(&self) -> String {
        let own = match (short(&self.file), self.line) {
            ("", _) => String::new(),
            (packages, 0) => packages.to_owned(),
            (file, line) => format!("{file}:{line}"),
        };
        match (self.caller.is_empty(), own.is_empty()) {
            (true, _) => own,
            (false, true) => self.caller.clone(),
            (false, false) => {
                let package = own.split('/').next().unwrap_or(&own);
                format!("{} via {package}", self.caller)
            }
        }
    }
}

/// A file of a dependency by its package and its place there: where cargo keeps packages tells nothing.
pub fn short(file: &str) -> &str {
    let kept = file.split_once("/registry/src/");
    let package = kept.and_then(|(_, index)| index.split_once('/'));
    package.map_or(file, |(_, path)| path)
}

/// One line per step, one column per thread: what it did, to which object; then where; then the notes.
impl fmt::Display for ThreadTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = self.thread_count();
        let told: Vec<(&TraceStep, String)> = self
            .steps
            .iter()
            .map(|step| (step, self.words(step)))
            .collect();
        let width = |(step, words): &(&TraceStep, String)| match step.kind {
            StepKind::Gap => 0,
            _ => words.chars().count(),
        };
        let longest = told.iter().map(width).max().unwrap_or(0).max(10);
        let column = longest + 2;
        let has_columns = threads * column <= WIDTH;
        if has_columns {
            let heads =
                (0..threads).map(|thread| format!("{:column$}", format!("thread {thread}")));
            writeln!(f, "{}", heads.collect::<String>().trim_end())?;
        }
        for (step, words) in &told {
            let place = step.place();
            let line = if step.kind == StepKind::Gap {
                words.clone()
            } else if has_columns {
                let before = column * step.thread as usize;
                let after = column * threads - before;
                format!("{:before$}{words:after$}{place}", "")
            } else {
                format!("thread {}: {words}  {place}", step.thread)
            };
            writeln!(f, "{}", line.trim_end())?;
        }
        for (number, note) in self.notes.iter().enumerate() {
            let gap = if number == 0 { "\n" } else { "" };
            writeln!(f, "{gap}note: {note}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(thread: u32, kind: StepKind, act: &str, object: Option<usize>) -> TraceStep {
        TraceStep {
            thread,
            kind,
            act: act.to_owned(),
            object,
            ..TraceStep::default()
        }
    }

    fn example() -> ThreadTrace {
        let spawn = TraceStep {
            detail: " 1".to_owned(),
            ..step(0, StepKind::Spawn, "starts thread", None)
        };
        let lock = TraceStep {
            file: "/home/me/.cargo/registry/src/index-19/queue-0.5/src/lib.rs".to_owned(),
            line: 3,
            column: 9,
            caller: "src/a.rs:7".to_owned(),
            follows_from: Some(0),
            waited: true,
            ..step(1, StepKind::Lock, "locks", Some(0))
        };
        ThreadTrace {
            threads: vec![
                TracedThread::default(),
                TracedThread {
                    name: "a\tb".to_owned(),
                    started_at: "src/a.rs:2".to_owned(),
                },
            ],
            objects: vec!["#0".to_owned()],
            steps: vec![spawn, lock, step(1, StepKind::End, "ends", None)],
            notes: vec!["two\nlines".to_owned()],
        }
    }

    #[test]
    fn traces_survive_the_pipe() {
        let trace = example();
        assert_eq!(ThreadTrace::parse(&trace.to_text()), Some(trace));
        assert_eq!(ThreadTrace::parse(""), Some(ThreadTrace::default()));
        assert_eq!(ThreadTrace::parse("step\t1\n"), None);
    }

    #[test]
    fn each_thread_has_a_column_and_notes_come_last() {
        let mut trace = example();
        trace.objects[0] = "Pool.jobs".to_owned();
        let expected = "\
thread 0         thread 1
starts thread 1
                 locks Pool.jobs  src/a.rs:7 via queue-0.5
                 ends

note: two
lines
";
        assert_eq!(trace.to_string(), expected);
    }

    #[test]
    fn many_threads_share_a_column() {
        let steps = (0..20).map(|thread| step(thread, StepKind::Other, "yields", None));
        let trace = ThreadTrace {
            steps: steps.collect(),
            ..ThreadTrace::default()
        };
        let told = trace.to_string();
        assert!(
            told.starts_with("thread 0: yields\nthread 1: yields\n"),
            "{told}"
        );
    }

    #[test]
    fn long_traces_lose_their_middle() {
        let steps = |count: usize| ThreadTrace {
            steps: (0..count)
                .map(|at| TraceStep {
                    follows_from: at.checked_sub(1),
                    ..step(0, StepKind::Other, &format!("step {at}"), None)
                })
                .collect(),
            ..ThreadTrace::default()
        };
        assert_eq!(steps(300).shortened(), steps(300));
        let trace = steps(100_000).shortened();
        assert_eq!(trace.steps.len(), 301);
        assert_eq!(trace.steps[59].act, "step 59");
        assert_eq!(trace.steps[60].act, "[… 99700 steps …]");
        assert_eq!(trace.steps[61].act, "step 99760");
        assert_eq!(trace.steps[61].follows_from, None);
        assert_eq!(trace.steps[62].follows_from, Some(61));
        assert_eq!(trace.steps[300].act, "step 99999");
    }

    #[test]
    fn files_of_dependencies_are_named_by_their_package() {
        let kept = "/home/me/.cargo/registry/src/index-19/crossbeam-channel-0.5.17/src/waker.rs";
        assert_eq!(short(kept), "crossbeam-channel-0.5.17/src/waker.rs");
        assert_eq!(short("src/lib.rs"), "src/lib.rs");
    }
}
