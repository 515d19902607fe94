//! What the driver asks of a test binary that explores thread schedules, and what the binary says, as lines of
//! text: one request per process, in a file; the answers through a pipe.
//!
//! A line is a word and its fields, as for the commands of a zygote (see [`crate::command`]).

use std::path::Path;

use atropos_values::{MutantId, NumberedPoint, SecondOrderMutant};

use crate::command::{Test, fields, line};
use crate::communication::Communication;
use crate::failure_kind::FailureKind;
use crate::thread_trace::ThreadTrace;

/// Holds the path of the file with the request; only a test binary that is to explore has it.
pub const ENV_ORDER: &str = "ATROPOS_EXPLORE";
/// Holds the number of the pipe for the answers.
pub const ENV_ANSWERS: &str = "ATROPOS_EXPLORE_ANSWERS";

/// Digits at the end of the name of an explored process's own directory for temporary files, which `TMPDIR` names.
pub const PRIVATE_DIGITS: usize = 10;

/// What is to be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RequestedAction {
    /// List the tests.
    #[default]
    List,
    /// Explore the schedules of one test.
    Explore,
    /// Explore the original of one test, then mutants.
    Mutants,
    /// Run a schedule that the user saved, and those like it if it can't be followed any more.
    Saved,
    /// Run one schedule of one test, with the test's output, and say what happened.
    Replay,
    /// Run one schedule of one test and say whether it enters one of the functions.
    Reaches,
}

impl RequestedAction {
    const ALL: [(RequestedAction, &'static str); 6] = [
        (RequestedAction::List, "list"),
        (RequestedAction::Explore, "explore"),
        (RequestedAction::Mutants, "mutants"),
        (RequestedAction::Saved, "saved"),
        (RequestedAction::Replay, "replay"),
        (RequestedAction::Reaches, "reaches"),
    ];
}

/// Whether data races and memory errors are failures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Races {
    /// Plain memory is not looked at.
    #[default]
    Off,
    On,
    /// Those of the original are; mutants are run as with `Off`.
    Survive,
}

impl Races {
    const ALL: [(Races, &'static str); 3] = [
        (Races::Off, "off"),
        (Races::On, "on"),
        (Races::Survive, "survive"),
    ];

    fn word(self) -> &'static str {
        Races::ALL[self as usize].1
    }

    fn from_word(word: &str) -> Option<Races> {
        let mut all = Races::ALL.iter();
        all.find(|(_, known)| *known == word)
            .map(|(races, _)| *races)
    }
}

/// What an execution of a mutant may take: multiples of what those of the original took. A schedule that kills a mutant
/// does so again within the same limits only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Steps of threads between scheduling points.
    pub steps: u64,
    /// Scheduling points.
    pub points: u64,
    pub threads: usize,
    /// Bytes of memory, for each thread.
    pub memory: usize,
    /// Time may pass while threads run.
    pub hurry: bool,
}

impl Allowance {
    fn to_text(self) -> String {
        format!(
            "{} {} {} {} {}",
            self.steps, self.points, self.threads, self.memory, self.hurry
        )
    }

    fn parse(text: &str) -> Option<Allowance> {
        let mut words = text.split(' ');
        let allowance = Allowance {
            steps: words.next()?.parse().ok()?,
            points: words.next()?.parse().ok()?,
            threads: words.next()?.parse().ok()?,
            memory: words.next()?.parse().ok()?,
            hurry: words.next()?.parse().ok()?,
        };
        words.next().is_none().then_some(allowance)
    }
}

/// The remark on a schedule that somebody saved, and that can't be followed any more.
pub const SAVED_SCHEDULE_IS_STALE: &str = "the saved schedule does not apply any more: the test does something else at one of its choices";

/// A request. Strategies, techniques and schedules are texts that `atropos-search` reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub action: RequestedAction,
    /// As the binary listed them.
    pub test: usize,
    /// Empty: exhaustive within the budget, then bounded, then random.
    pub strategy: String,
    /// Empty: the usual one, with short cuts.
    pub technique: String,
    pub seed: u64,
    /// Executions for each stage of the default strategy, and for a mutant.
    pub executions: u64,
    /// Time for the exploration of the original, in milliseconds.
    pub time_limit: u64,
    /// And for that of each mutant.
    pub mutant_time_limit: u64,
    /// Random schedules that a mutant gets at most, where schedules are drawn.
    pub sample: u64,
    pub adversarial_time: bool,
    pub sequential_memory: bool,
    pub spurious: bool,
    /// Whether all schedules have the same random data.
    pub fixed_random_data: bool,
    /// Whether data races and memory errors are failures.
    pub races: Races,
    /// Whether memory that is never given back is a failure, too.
    pub leaks: bool,
    /// Scheduling points after which an execution counts as endless.
    pub step_limit: u64,
    pub processors: usize,
    pub workers: usize,
    /// Which part of a divided exploration this is, and of how many.
    pub shard: u64,
    pub shards: u64,
    /// The schedule that is replayed, or was saved; empty for none.
    pub schedule: String,
    /// The mutant that acts in a replay; 0 for none.
    pub mutant: MutantId,
    /// What it may take.
    pub allowance: Option<Allowance>,
    pub points: Vec<NumberedPoint>,
    /// The mutants that are wanted.
    pub mutants: Vec<MutantId>,
    pub pairs: Vec<SecondOrderMutant>,
    /// Whether to tell what threads of mutants say to each other and those of the original do not.
    pub communication: bool,
    /// The functions that a test may reach, by number.
    pub functions: Vec<u32>,
}

impl Default for Request {
    fn default() -> Request {
        Request {
            action: RequestedAction::List,
            test: 0,
            strategy: String::new(),
            technique: String::new(),
            seed: 1,
            executions: 10_000,
            time_limit: 60_000,
            mutant_time_limit: 60_000,
            sample: u64::MAX,
            adversarial_time: false,
            sequential_memory: false,
            spurious: false,
            fixed_random_data: false,
            races: Races::Off,
            leaks: false,
            step_limit: 1_000_000,
            processors: 2,
            workers: 1,
            shard: 0,
            shards: 1,
            schedule: String::new(),
            mutant: MutantId::ORIGINAL,
            allowance: None,
            points: Vec::new(),
            mutants: Vec::new(),
            pairs: Vec::new(),
            communication: false,
            functions: Vec::new(),
        }
    }
}

impl Request {
    /// Whether code of mutants is run, not of the original alone.
    pub fn runs_mutants(&self) -> bool {
        self.action == RequestedAction::Mutants || !self.mutant.is_original()
    }

    /// One line per field.
    pub fn to_text(&self) -> String {
        let action = RequestedAction::ALL
            .iter()
            .find(|(action, _)| *action == self.action);
        let list = |numbers: Vec<String>| numbers.join(" ");
        let points = self.points.iter();
        let points = points.map(|point| format!("{}+{}", point.id, point.size));
        let mutants = self.mutants.iter().map(MutantId::to_string);
        let pairs = self.pairs.iter().map(SecondOrderMutant::to_string);
        [
            ("action", action.map_or("list", |(_, word)| word).to_owned()),
            ("test", self.test.to_string()),
            ("strategy", self.strategy.clone()),
            ("technique", self.technique.clone()),
            ("seed", self.seed.to_string()),
            ("executions", self.executions.to_string()),
            ("time_limit", self.time_limit.to_string()),
            ("mutant-time_limit", self.mutant_time_limit.to_string()),
            ("sample", self.sample.to_string()),
            ("adversarial", self.adversarial_time.to_string()),
            ("sequential", self.sequential_memory.to_string()),
            ("spurious", self.spurious.to_string()),
            ("fixed-random-data", self.fixed_random_data.to_string()),
            ("races", self.races.word().to_owned()),
            ("leaks", self.leaks.to_string()),
            ("steps", self.step_limit.to_string()),
            ("processors", self.processors.to_string()),
            ("workers", self.workers.to_string()),
            ("shard", self.shard.to_string()),
            ("shards", self.shards.to_string()),
            ("schedule", self.schedule.clone()),
            ("mutant", self.mutant.to_string()),
            (
                "allowance",
                self.allowance.map_or_else(String::new, Allowance::to_text),
            ),
            ("points", list(points.collect())),
            ("mutants", list(mutants.collect())),
            ("pairs", list(pairs.collect())),
            (
                "functions",
                list(self.functions.iter().map(u32::to_string).collect()),
            ),
            ("communication", self.communication.to_string()),
        ]
        .iter()
        .map(|(key, value)| line(&[key, value]))
        .collect()
    }

    /// Reads what [`Request::to_text`] wrote; the error names the line.
    pub fn parse(text: &str) -> Result<Request, String> {
        let mut request = Request::default();
        for text in text.lines() {
            let parsed = match &fields(text)[..] {
                [key, value] => request.set(key, value),
                _ => None,
            };
            parsed.ok_or_else(|| format!("`{text}` is no part of an request"))?;
        }
        Ok(request)
    }

    fn set(&mut self, key: &str, value: &str) -> Option<()> {
        let words = || value.split(' ').filter(|word| !word.is_empty());
        match key {
            "action" => {
                self.action = RequestedAction::ALL
                    .iter()
                    .find(|(_, word)| *word == value)?
                    .0
            }
            "test" => self.test = value.parse().ok()?,
            "strategy" => self.strategy = value.to_owned(),
            "technique" => self.technique = value.to_owned(),
            "seed" => self.seed = value.parse().ok()?,
            "executions" => self.executions = value.parse().ok()?,
            "time_limit" => self.time_limit = value.parse().ok()?,
            "mutant-time_limit" => self.mutant_time_limit = value.parse().ok()?,
            "sample" => self.sample = value.parse().ok()?,
            "adversarial" => self.adversarial_time = value.parse().ok()?,
            "sequential" => self.sequential_memory = value.parse().ok()?,
            "spurious" => self.spurious = value.parse().ok()?,
            "fixed-random-data" => self.fixed_random_data = value.parse().ok()?,
            "races" => self.races = Races::from_word(value)?,
            "leaks" => self.leaks = value.parse().ok()?,
            "steps" => self.step_limit = value.parse().ok()?,
            "communication" => self.communication = value.parse().ok()?,
            "processors" => self.processors = value.parse().ok()?,
            "workers" => self.workers = value.parse().ok()?,
            "shard" => self.shard = value.parse().ok()?,
            "shards" => self.shards = value.parse().ok()?,
            "schedule" => self.schedule = value.to_owned(),
            "mutant" => self.mutant = value.parse().ok()?,
            "allowance" if value.is_empty() => self.allowance = None,
            "allowance" => self.allowance = Some(Allowance::parse(value)?),
            "points" => {
                let point = |word: &str| {
                    let (first, size) = word.split_once('+')?;
                    Some(NumberedPoint::new(first.parse().ok()?, size.parse().ok()?))
                };
                self.points = words().map(point).collect::<Option<_>>()?;
            }
            "mutants" => {
                let number = |word: &str| word.parse().ok();
                self.mutants = words().map(number).collect::<Option<_>>()?;
            }
            "functions" => {
                let number = |word: &str| word.parse().ok();
                self.functions = words().map(number).collect::<Option<_>>()?;
            }
            "pairs" => {
                let pair = |word: &str| word.parse().ok();
                self.pairs = words().map(pair).collect::<Option<_>>()?;
            }
            _ => return None,
        }
        Some(())
    }

    /// The request in a file.
    pub fn read(path: &Path) -> Result<Request, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("can't read {}: {error}", path.display()))?;
        Request::parse(&text)
    }
}

/// A failing execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFailure {
    pub kind: FailureKind,
    /// A few words that don't depend on the schedule.
    pub title: String,
    /// All of it: threads, places, what each waits for.
    pub text: String,
    /// `file:line:column` of a panic; empty for others.
    pub location: String,
    /// Empty if the process died of it.
    pub schedule: String,
    /// What happened, step by step.
    pub trace: ThreadTrace,
    /// The schedule led to the same end when it was run again.
    pub replayed: bool,
}

/// The result of the exploration of a test, or of a mutant under it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explored {
    pub found: Option<FoundFailure>,
    /// What was covered, in words; of a mutant that is undecided, why.
    pub coverage: String,
    /// All schedules were covered.
    pub complete: bool,
    /// Threads that yield again and again had to let others go first: what is called all are the fair schedules.
    pub fair: bool,
    /// Some schedules let a thread go round for so long that they were not followed to their end.
    pub late: bool,
    /// The program asked for random bytes, or made a hash map.
    pub random_data: bool,
    /// Only this shard's part of the schedules is meant; others have the rest.
    pub part: bool,
    /// Of a mutant: another one was explored, which acted like it throughout. Its costs are told there.
    pub shared: bool,
    pub executions: u64,
    /// Of the search: as the techniques count them.
    pub states: u64,
    pub transitions: u64,
    /// Of a mutant: the transitions among these on paths where it had not acted yet.
    pub before: u64,
    /// Of a mutant: the transitions among the latter that only lead to where it was started.
    pub ways: u64,
    /// Most threads in an execution, the test's own among them.
    pub threads: u64,
    /// Most scheduling points in an execution.
    pub steps: u64,
    pub nanoseconds: u64,
    /// The most memory that the process has had, in KiB.
    pub memory: u64,
    /// Worth a remark, though the test passes.
    pub remarks: Vec<String>,
    /// Why this test can't be explored.
    pub uncontrolled: Option<String>,
    /// Where two runs of one schedule parted.
    pub divergence: Option<String>,
    /// Of an original whose mutants are explored: what each of them may take.
    pub allowance: Option<Allowance>,
    /// What threads of the original told each other; of a mutant, what those of the original never did.
    pub communication: Vec<Communication>,
    /// What executions reached, of what the program names, …
    pub reached: Vec<String>,
    /// … and what some has to reach.
    pub wanted: Vec<String>,
}

/// What was covered where threads that yield again and again had to let others go first.
const FAIR: &str = "all fair schedules";
/// And where some schedules were not followed to their end.
const LATE: &str = ", some not to their end";

/// What became of a mutant under one test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MutantResult {
    Killed,
    Survived,
    /// No schedule comes to its place.
    Unreached,
    /// Some schedule comes to its place, but none makes it differ from the original there.
    Uninfected,
    /// The original fails too, or it could not be explored to the end. What was found, if anything, is how the original fails.
    Undecided,
}

impl MutantResult {
    const ALL: [(MutantResult, &'static str); 5] = [
        (MutantResult::Killed, "killed"),
        (MutantResult::Survived, "survived"),
        (MutantResult::Unreached, "unreached"),
        (MutantResult::Uninfected, "uninfected"),
        (MutantResult::Undecided, "undecided"),
    ];
}

/// What the test binary says.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    Test(Test),
    /// Executions so far, and how many there will be, if that can be told.
    Progress {
        executions: u64,
        estimate: Option<f64>,
    },
    /// The test, or the original of it.
    Original(Explored),
    Mutant {
        mutant: MutantId,
        result: MutantResult,
        explored: Explored,
    },
    /// Whether the test enters one of the functions.
    Reaches(bool),
    /// The request could not be carried out.
    Error(String),
    Done,
}

impl Response {
    pub fn to_line(&self) -> String {
        match self {
            Response::Test(test) => crate::command::Reply::Test(test.clone()).to_line(),
            Response::Progress {
                executions,
                estimate,
            } => line(&[
                "progress",
                &executions.to_string(),
                &estimate.map_or_else(String::new, |estimate| estimate.to_string()),
            ]),
            Response::Original(explored) => {
                let mut words = vec!["original".to_owned()];
                explored.put(&mut words);
                owned_line(&words)
            }
            Response::Mutant {
                mutant,
                result,
                explored,
            } => {
                let result = MutantResult::ALL.iter().find(|(other, _)| other == result);
                let result = result.map_or("undecided", |(_, word)| word);
                let mut words = vec!["mutant".to_owned(), mutant.to_string(), result.to_owned()];
                explored.put(&mut words);
                owned_line(&words)
            }
            Response::Reaches(reaches) => line(&["reaches", &reaches.to_string()]),
            Response::Error(text) => line(&["error", text]),
            Response::Done => line(&["done"]),
        }
    }

    /// The failure that it tells of.
    pub fn found(&mut self) -> Option<&mut FoundFailure> {
        match self {
            Response::Original(explored) | Response::Mutant { explored, .. } => {
                explored.found.as_mut()
            }
            _ => None,
        }
    }

    pub fn parse(text: &str) -> Option<Response> {
        let words = fields(text);
        let known = words.iter().map(String::as_str).collect::<Vec<_>>();
        Some(match known[..] {
            ["test", ..] => match crate::command::Reply::parse(text)? {
                crate::command::Reply::Test(test) => Response::Test(test),
                _ => return None,
            },
            ["progress", executions, estimate] => Response::Progress {
                executions: executions.parse().ok()?,
                estimate: estimate.parse().ok(),
            },
            ["original", ..] => Response::Original(Explored::take(&known[1..])?),
            ["mutant", mutant, result, ..] => Response::Mutant {
                mutant: mutant.parse().ok()?,
                result: MutantResult::ALL
                    .iter()
                    .find(|(_, word)| *word == result)?
                    .0,
                explored: Explored::take(&known[3..])?,
            },
            ["reaches", reaches] => Response::Reaches(reaches.parse().ok()?),
            ["error", text] => Response::Error(text.to_owned()),
            ["done"] => Response::Done,
            _ => return None,
        })
    }
}

fn owned_line(words: &[String]) -> String {
    line(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

impl Explored {
    /// Where schedules had to be fair, no more than the fair ones are claimed, and where some were not followed to their
    /// end, that is told.
    pub fn claim_no_more_than_seen(&mut self) {
        if self.fair {
            self.complete = false;
            self.coverage = self.coverage.replacen("all schedules", FAIR, 1);
        }
        if self.late {
            self.complete = false;
            self.coverage.push_str(LATE);
        }
    }

    /// Fields are `name=value`; what is empty is left out.
    fn put(&self, words: &mut Vec<String>) {
        let mut put = |name: &str, value: &str| {
            if !value.is_empty() {
                words.push(format!("{name}={value}"));
            }
        };
        put("coverage", &self.coverage);
        put("complete", if self.complete { "yes" } else { "" });
        put("fair", if self.fair { "yes" } else { "" });
        put("late", if self.late { "yes" } else { "" });
        put("random-data", if self.random_data { "yes" } else { "" });
        put("part", if self.part { "yes" } else { "" });
        put("shared", if self.shared { "yes" } else { "" });
        for (name, value) in [
            ("executions", self.executions),
            ("states", self.states),
            ("transitions", self.transitions),
            ("before", self.before),
            ("ways", self.ways),
            ("threads", self.threads),
            ("steps", self.steps),
            ("nanoseconds", self.nanoseconds),
            ("memory", self.memory),
        ] {
            put(name, &value.to_string());
        }
        for (name, values) in [
            ("remark", &self.remarks),
            ("reached", &self.reached),
            ("wanted", &self.wanted),
        ] {
            values.iter().for_each(|value| put(name, value));
        }
        put("uncontrolled", self.uncontrolled.as_deref().unwrap_or(""));
        put("divergence", self.divergence.as_deref().unwrap_or(""));
        let allowance = self.allowance.map_or_else(String::new, Allowance::to_text);
        put("allowance", &allowance);
        for communication in &self.communication {
            put("communication", &communication.to_text());
        }
        if let Some(found) = &self.found {
            put("kind", found.kind.noun());
            put("title", &found.title);
            put("text", &found.text);
            put("location", &found.location);
            put("schedule", &found.schedule);
            put("trace", &found.trace.to_text());
            put("replayed", if found.replayed { "yes" } else { "" });
        }
    }

    fn take(words: &[&str]) -> Option<Explored> {
        let mut explored = Explored::default();
        let mut found = FoundFailure {
            kind: FailureKind::Failed,
            title: String::new(),
            text: String::new(),
            location: String::new(),
            schedule: String::new(),
            trace: ThreadTrace::default(),
            replayed: false,
        };
        let mut is_found = false;
        for word in words {
            let (name, value) = word.split_once('=')?;
            match name {
                "coverage" => explored.coverage = value.to_owned(),
                "complete" => explored.complete = true,
                "fair" => explored.fair = true,
                "late" => explored.late = true,
                "random-data" => explored.random_data = true,
                "part" => explored.part = true,
                "shared" => explored.shared = true,
                "executions" => explored.executions = value.parse().ok()?,
                "states" => explored.states = value.parse().ok()?,
                "transitions" => explored.transitions = value.parse().ok()?,
                "before" => explored.before = value.parse().ok()?,
                "ways" => explored.ways = value.parse().ok()?,
                "threads" => explored.threads = value.parse().ok()?,
                "steps" => explored.steps = value.parse().ok()?,
                "nanoseconds" => explored.nanoseconds = value.parse().ok()?,
                "memory" => explored.memory = value.parse().ok()?,
                "remark" => explored.remarks.push(value.to_owned()),
                "reached" => explored.reached.push(value.to_owned()),
                "wanted" => explored.wanted.push(value.to_owned()),
                "uncontrolled" => explored.uncontrolled = Some(value.to_owned()),
                "divergence" => explored.divergence = Some(value.to_owned()),
                "allowance" => explored.allowance = Some(Allowance::parse(value)?),
                "communication" => explored.communication.push(Communication::parse(value)?),
                "kind" => {
                    is_found = true;
                    found.kind = FailureKind::from_noun(value)?;
                }
                "title" => found.title = value.to_owned(),
                "text" => found.text = value.to_owned(),
                "location" => found.location = value.to_owned(),
                "schedule" => found.schedule = value.to_owned(),
                "trace" => found.trace = ThreadTrace::parse(value)?,
                "replayed" => found.replayed = true,
                _ => return None,
            }
        }
        explored.found = is_found.then_some(found);
        Some(explored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::communication::InteractionKind;
    use crate::thread_trace::TraceStep;

    const ALLOWANCE: Allowance = Allowance {
        steps: 1,
        points: 2,
        threads: 3,
        memory: 4,
        hurry: true,
    };

    fn found() -> Explored {
        Explored {
            found: Some(FoundFailure {
                kind: FailureKind::LostWakeUp,
                title: "lost wake-up".into(),
                text: "lost wake-up:\n\tthread 1 = main".into(),
                location: "src/lib.rs:1:2".into(),
                schedule: "s1:0*3,1".into(),
                trace: ThreadTrace {
                    objects: vec!["#0".into()],
                    steps: vec![TraceStep {
                        thread: 1,
                        act: "locks".into(),
                        object: Some(0),
                        ..TraceStep::default()
                    }],
                    ..ThreadTrace::default()
                },
                replayed: true,
            }),
            coverage: "5 schedules, not all".into(),
            executions: 5,
            states: 7,
            transitions: 9,
            before: 8,
            ways: 6,
            threads: 2,
            steps: 11,
            nanoseconds: 13,
            memory: 17,
            remarks: vec!["a=b".into(), "c".into()],
            reached: vec!["full".into()],
            wanted: vec!["full".into(), "empty".into()],
            ..Explored::default()
        }
    }

    #[test]
    fn orders_survive_the_file() {
        let request = Request {
            action: RequestedAction::Mutants,
            test: 3,
            strategy: "chess:2".into(),
            technique: "basic".into(),
            seed: 7,
            executions: 5,
            time_limit: 6,
            mutant_time_limit: 11,
            sample: 12,
            adversarial_time: true,
            sequential_memory: true,
            spurious: true,
            fixed_random_data: true,
            races: Races::Survive,
            leaks: true,
            step_limit: 8,
            processors: 9,
            workers: 10,
            shard: 3,
            shards: 11,
            schedule: "s1:0*3,1".into(),
            mutant: MutantId(4),
            allowance: Some(ALLOWANCE),
            points: vec![
                NumberedPoint::new(MutantId(1), 3),
                NumberedPoint::new(MutantId(4), 1),
            ],
            mutants: [1, 4, 9].map(MutantId).to_vec(),
            pairs: vec![SecondOrderMutant {
                id: MutantId(9),
                parts: [MutantId(1), MutantId(4)],
            }],
            communication: true,
            functions: vec![3, 5],
        };
        assert_eq!(Request::parse(&request.to_text()), Ok(request));
        assert!(Request::parse("dance\t1").unwrap_err().contains("dance"));
    }

    #[test]
    fn answers_survive_the_pipe() {
        let quiet = Explored {
            coverage: "all schedules".into(),
            complete: true,
            fair: true,
            late: true,
            random_data: true,
            part: true,
            shared: true,
            uncontrolled: Some("epoll_wait".into()),
            divergence: Some("step 3".into()),
            allowance: Some(ALLOWANCE),
            communication: vec![Communication {
                kind: InteractionKind::Flow,
                acts: Vec::new(),
            }],
            ..Explored::default()
        };
        for answer in [
            Response::Test(Test {
                name: "a".into(),
                ignored: false,
                should_panic: true,
            }),
            Response::Progress {
                executions: 3,
                estimate: Some(4.5),
            },
            Response::Progress {
                executions: 3,
                estimate: None,
            },
            Response::Original(quiet),
            Response::Mutant {
                mutant: MutantId(7),
                result: MutantResult::Killed,
                explored: found(),
            },
            Response::Reaches(true),
            Response::Error("no\tway".into()),
            Response::Done,
        ] {
            let line = answer.to_line();
            assert_eq!(line.matches('\n').count(), 1);
            assert_eq!(Response::parse(&line), Some(answer));
        }
        assert_eq!(Response::parse("mutant\tx"), None);
    }
}
