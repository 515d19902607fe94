//! What a run is doing right now, on standard error: one line that is rewritten on a terminal, and
//! now and then a plain line elsewhere.
//!
//! [`Progress`] is told what happens and may be shared by threads; [`RunState`] decides what is shown
//! and knows neither clock nor terminal.

use std::cmp::Ordering;
use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use atropos_report::mutant::MutantInfo;
use atropos_report::number_text::{count, shortened};
use atropos_report::verdict::Verdict;

use crate::compiled_crate::CompiledCrate;
use crate::terminal::Terminal;

const SECOND: Duration = Duration::from_secs(1);
/// How often a live line is drawn anew.
const TICK: Duration = Duration::from_millis(200);
/// How often a plain line is written at most, besides the one at the start of each phase.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);
/// A test that has been running for longer is named.
const LONG: Duration = Duration::from_secs(5);
/// So many survivors are named while mutants run.
const SURVIVORS_SHOWN: usize = 10;
/// How far back the rate is measured that the remaining time is estimated from.
const RATE_WINDOW: Duration = Duration::from_secs(20);

/// The stages of a run as the user sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunPhase {
    Finding,
    Building,
    Checking,
    Running,
    /// Doctests, which are compiled one by one.
    BuildingDoctests,
    /// The tests again, for exploration.
    BuildingForThreads,
    Exploring,
    /// What survivors disturb.
    Observing,
    /// All into one file.
    Packing,
}

impl RunPhase {
    fn word(self) -> &'static str {
        match self {
            RunPhase::Finding => "Finding mutants",
            RunPhase::Building => "Building",
            RunPhase::Checking => "Checking",
            RunPhase::Running => "Running",
            RunPhase::BuildingDoctests => "Building doctests",
            RunPhase::BuildingForThreads => "Building for thread exploration",
            RunPhase::Exploring => "Exploring",
            RunPhase::Observing => "Observing survivors",
            RunPhase::Packing => "Packing",
        }
    }

    /// Whether cargo is at work.
    fn is_building(self) -> bool {
        match self {
            RunPhase::Building
            | RunPhase::BuildingDoctests
            | RunPhase::BuildingForThreads
            | RunPhase::Observing => true,
            RunPhase::Finding
            | RunPhase::Checking
            | RunPhase::Running
            | RunPhase::Exploring
            | RunPhase::Packing => false,
        }
    }

    /// What is counted, if anything.
    fn unit(self) -> Option<&'static str> {
        match self {
            RunPhase::Finding
            | RunPhase::Building
            | RunPhase::BuildingDoctests
            | RunPhase::BuildingForThreads
            | RunPhase::Observing
            | RunPhase::Packing => None,
            RunPhase::Checking | RunPhase::Exploring => Some("test"),
            RunPhase::Running => Some("mutant"),
        }
    }
}

/// Shows how far the run is until it is dropped.
pub struct Progress {
    shared: Arc<Shared>,
    ticker: Option<JoinHandle<()>>,
}

struct Shared {
    terminal: Terminal,
    state: Mutex<State>,
    stop: Condvar,
}

struct State {
    picture: RunState,
    /// Whom to ask what cargo compiles, and when the phase began.
    compiled: Option<(CompiledCrate, SystemTime)>,
    survivors: usize,
    stopped: bool,
    /// Whether a live line stands on the terminal.
    drawn: bool,
    last_plain: Option<Instant>,
}

impl Progress {
    pub fn start(terminal: Terminal) -> Progress {
        let shared = Arc::new(Shared {
            terminal,
            state: Mutex::new(State {
                picture: RunState::new(Instant::now()),
                compiled: None,
                survivors: 0,
                stopped: false,
                drawn: false,
                last_plain: None,
            }),
            stop: Condvar::new(),
        });
        let for_ticker = Arc::clone(&shared);
        let ticker = thread::Builder::new()
            .name("progress".into())
            .spawn(move || for_ticker.tick_until_stopped())
            // Without a thread for it the line is not kept fresh, but the run goes on.
            .ok();
        Progress { shared, ticker }
    }

    /// Lets the line name the crate that is being compiled by builds below the output directory.
    pub fn follow_builds(&self, output: &Path) {
        let compiled = CompiledCrate::below(output);
        self.shared.lock().compiled = Some((compiled, SystemTime::now()));
    }

    /// A new phase begins, with so many tests or mutants ahead (0 where nothing is counted).
    pub fn phase(&self, phase: RunPhase, total: usize) {
        let mut state = self.shared.lock();
        state.picture.begin(phase, total, Instant::now());
        if let Some((_, since)) = &mut state.compiled {
            *since = SystemTime::now();
        }
        // Finding is so quick that a plain line about it is noise, unless it is not.
        state.last_plain = (phase == RunPhase::Finding).then(Instant::now);
        self.shared.show(&mut state);
    }

    /// Mutants are run, so many in all, of which these are decided already.
    pub fn begin_running(&self, total: usize, known: impl Iterator<Item = Verdict>) {
        let mut state = self.shared.lock();
        let now = Instant::now();
        state.picture.begin_running(total, known, now);
        state.last_plain = None;
        self.shared.show(&mut state);
    }

    /// A test begins to run.
    pub fn checks(&self, test: &str) {
        let mut state = self.shared.lock();
        state
            .picture
            .running
            .insert(test.to_owned(), Instant::now());
    }

    /// One more test was checked.
    pub fn checked(&self, test: &str) {
        let mut state = self.shared.lock();
        state.picture.running.remove(test);
        state.picture.done(None, Instant::now());
    }

    /// So many schedules of a test were explored, of about so many.
    pub fn schedules(&self, test: &str, executions: u64, estimate: Option<f64>) {
        let mut state = self.shared.lock();
        let explored = (executions, estimate);
        state.picture.explored.insert(test.to_owned(), explored);
    }

    /// The mutants of a test are explored, so many of so many.
    pub fn mutants_of(&self, test: &str, decided: usize, total: usize) {
        let mut state = self.shared.lock();
        state.picture.mutants_of = Some((test.to_owned(), decided, total));
        state.picture.sample(Instant::now());
    }

    /// The exploration of a test is over.
    pub fn explored(&self, test: &str) {
        let mut state = self.shared.lock();
        state.picture.explored.remove(test);
        state.picture.done(None, Instant::now());
    }

    /// One more mutant has its verdict.
    pub fn verdict(&self, verdict: Verdict) {
        self.shared
            .lock()
            .picture
            .done(Some(verdict), Instant::now());
    }

    /// A mutant that had its verdict is to be tested further.
    pub fn reopened(&self, verdict: Verdict) {
        self.shared.lock().picture.undone(verdict);
    }

    /// Names a mutant that no test has noticed, above the live line: there people look while they wait. Elsewhere, and
    /// where there are many, the summary is enough.
    pub fn survivor(&self, info: &MutantInfo, is_final: bool) {
        let Some(width) = self.shared.terminal.live_width() else {
            return;
        };
        let survivors = {
            let mut state = self.shared.lock();
            state.survivors += 1;
            state.survivors
        };
        let word = match is_final {
            true => "survived",
            false => "survives so far",
        };
        match survivors.cmp(&(SURVIVORS_SHOWN + 1)) {
            Ordering::Less => self.say(&shortened(&format!("{word}: {info}"), width)),
            Ordering::Equal => self.say("and more survivors, which the summary shows"),
            Ordering::Greater => {}
        }
    }

    /// Says what is known before something else is found out, where people wait for it.
    pub fn so_far(&self, verdicts: impl Iterator<Item = Verdict>, next: &str) {
        if self.shared.terminal.live_width().is_none() {
            return;
        }
        let (mut killed, mut survived) = (0, 0);
        for verdict in verdicts {
            killed += usize::from(matches!(verdict, Verdict::Killed(_)));
            survived += usize::from(verdict == Verdict::Survived);
        }
        self.say(&format!(
            "so far: {killed} killed, {survived} survived; now {next}"
        ));
    }

    /// Writes a line that stays, above the live one.
    pub fn say(&self, line: &str) {
        let mut state = self.shared.lock();
        self.shared.wipe(&mut state);
        let _ = writeln!(self.shared.terminal.stderr(), "{line}");
        self.shared.show(&mut state);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.stopped = true;
        self.shared.wipe(&mut state);
        drop(state);
        self.shared.stop.notify_all();
        if let Some(ticker) = self.ticker.take() {
            // It only draws; if it has panicked there is nothing to mend.
            let _ = ticker.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tick_until_stopped(&self) {
        let mut state = self.lock();
        while !state.stopped {
            self.show(&mut state);
            state = match self.stop.wait_timeout(state, TICK) {
                Ok((state, _)) => state,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }

    fn show(&self, state: &mut State) {
        let now = Instant::now();
        let Some(phase) = state.picture.phase.filter(|_| !state.stopped) else {
            return;
        };
        state.picture.compiled = match &state.compiled {
            Some((compiled, since)) if phase.is_building() => compiled.name(*since),
            _ => None,
        };
        if let Some(width) = self.terminal.live_width() {
            let line = shortened(&state.picture.line(now), width.saturating_sub(1));
            self.terminal.rewrite_line(&line);
            state.drawn = true;
        } else if state
            .last_plain
            .is_none_or(|last| now - last >= PLAIN_INTERVAL)
        {
            let _ = writeln!(self.terminal.stderr(), "{}", state.picture.line(now));
            state.last_plain = Some(now);
        }
    }

    fn wipe(&self, state: &mut State) {
        if std::mem::take(&mut state.drawn) {
            self.terminal.rewrite_line("");
        }
    }
}

/// How long the rest will take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Remaining {
    About(Duration),
    Overdue,
    Unknown,
}

/// What is known of the run.
#[derive(Debug)]
struct RunState {
    phase: Option<RunPhase>,
    since: Instant,
    total: usize,
    done: usize,
    killed: usize,
    survived: usize,
    /// Tests that are being run, and since when.
    running: BTreeMap<String, Instant>,
    /// Tests that are being explored: schedules so far and, as far as can be told, in all.
    explored: BTreeMap<String, (u64, Option<f64>)>,
    /// The test whose mutants are being explored: its name, how many are decided, how many there are.
    mutants_of: Option<(String, usize, usize)>,
    /// The crate that cargo compiles.
    compiled: Option<String>,
    /// When how many were done, oldest first; what is older than the window but for one is gone.
    samples: VecDeque<(Instant, f64)>,
}

impl RunState {
    fn new(now: Instant) -> RunState {
        RunState {
            phase: None,
            since: now,
            total: 0,
            done: 0,
            killed: 0,
            survived: 0,
            running: BTreeMap::new(),
            explored: BTreeMap::new(),
            mutants_of: None,
            compiled: None,
            samples: VecDeque::new(),
        }
    }

    fn begin(&mut self, phase: RunPhase, total: usize, now: Instant) {
        *self = RunState {
            phase: Some(phase),
            total,
            ..RunState::new(now)
        };
        self.samples.push_back((now, 0.0));
    }

    fn begin_running(&mut self, total: usize, known: impl Iterator<Item = Verdict>, now: Instant) {
        self.begin(RunPhase::Running, total, now);
        for verdict in known {
            self.done(Some(verdict), now);
        }
        // What is known already says nothing about how fast it goes.
        self.samples = [(now, self.progress())].into();
    }

    fn done(&mut self, verdict: Option<Verdict>, now: Instant) {
        match verdict {
            Some(Verdict::Killed(_)) => self.killed += 1,
            Some(Verdict::Survived) => self.survived += 1,
            _ => {}
        }
        // Where tests are counted, a mutant's verdict is new but no progress.
        if verdict.is_some() && self.phase == Some(RunPhase::Exploring) {
            return;
        }
        self.done += 1;
        self.mutants_of = None;
        self.sample(now);
    }

    /// What is done, with the part of the test that is under way.
    fn progress(&self) -> f64 {
        let part = match &self.mutants_of {
            Some((_, decided, total)) => (*decided).min(*total) as f64 / (*total).max(1) as f64,
            None => 0.0,
        };
        self.done as f64 + part
    }

    fn sample(&mut self, now: Instant) {
        self.samples.push_back((now, self.progress()));
        while self.samples.len() > 2 && now - self.samples[1].0 > RATE_WINDOW {
            self.samples.pop_front();
        }
    }

    fn undone(&mut self, verdict: Verdict) {
        let less = |count: &mut usize| *count = count.saturating_sub(1);
        less(&mut self.done);
        match verdict {
            Verdict::Killed(_) => less(&mut self.killed),
            Verdict::Survived => less(&mut self.survived),
            _ => {}
        }
        // The rate is measured anew from here.
        let now = self.samples.back().map(|(time, _)| *time);
        self.samples = now.map(|now| (now, self.progress())).into_iter().collect();
    }

    fn line(&self, now: Instant) -> String {
        let Some(phase) = self.phase else {
            return String::new();
        };
        let mut parts = vec![phase.word().to_owned()];
        match phase.unit() {
            Some(unit) if self.total > 0 => {
                parts[0] = format!("{} {}/{}", parts[0], self.done, count(self.total, unit));
            }
            _ => {}
        }
        parts.extend(self.compiled.clone());
        if self.killed + self.survived > 0 {
            parts.push(format!("{} killed", self.killed));
            parts.push(format!("{} survived", self.survived));
        }
        let longest = self.running.iter().min_by_key(|(_, since)| **since);
        if let Some((test, since)) = longest
            && now - *since >= LONG
        {
            let seconds = (now - *since).as_secs();
            parts.push(format!("{test} has been running for {seconds} s"));
        }
        // The one that takes longest is what a user waits for.
        let longest = self.explored.iter().max_by_key(|(_, (so_far, _))| *so_far);
        if let Some((test, (so_far, estimate))) = longest {
            parts.push(format!("{test}: {}", schedules(*so_far, *estimate)));
        }
        if let Some((test, decided, total)) = &self.mutants_of {
            parts.push(format!("{test}: {decided}/{}", count(*total, "mutant")));
        }
        match self.remaining(now) {
            Remaining::About(remaining) => parts.push(format!("about {} left", rough(remaining))),
            Remaining::Overdue => parts.push("longer than expected".to_owned()),
            // Where something is counted, a time without a word would look like an estimate.
            Remaining::Unknown if phase.unit().is_none() && now - self.since >= SECOND => {
                parts.push(format!("{} s so far", (now - self.since).as_secs()));
            }
            Remaining::Unknown => {}
        }
        parts.join(", ")
    }

    /// The remaining time at the rate of the last while. Unknown until the rate means something, and overdue once all
    /// should have been done long since: what is left is slower than what the rate was measured on.
    fn remaining(&self, now: Instant) -> Remaining {
        let (Some(&(from, already)), Some(&(last, _))) =
            (self.samples.front(), self.samples.back())
        else {
            return Remaining::Unknown;
        };
        let measured = now - from;
        let progress = self.progress() - already;
        let left = self.total as f64 - self.progress();
        // Tests that are explored are few, and each of them is seen to move on.
        let enough = match self.mutants_of {
            Some(_) => 1.0,
            None => 5.0,
        };
        if progress < enough || left <= 0.0 || now - self.since < Duration::from_secs(2) {
            return Remaining::Unknown;
        }
        let expected = (last - from).mul_f64(left / progress);
        if now - last > expected + Duration::from_secs(2) {
            return Remaining::Overdue;
        }
        Remaining::About(measured.mul_f64(left / progress))
    }
}

/// How far an exploration is, in words.
pub fn schedules(so_far: u64, estimate: Option<f64>) -> String {
    const ENDLESS: f64 = 1e12;
    match estimate {
        Some(estimate) if estimate >= ENDLESS => format!("{so_far} schedules of a great many"),
        // Two digits are all that it is worth.
        Some(estimate) if estimate > so_far as f64 => {
            let unit = 10_f64.powf(estimate.log10().floor() - 1.0).max(1.0);
            format!(
                "{so_far} of about {:.0} schedules",
                (estimate / unit).round() * unit
            )
        }
        _ => count(so_far as usize, "schedule"),
    }
}

/// No more digits than an estimate deserves.
fn rough(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..=1 => "1 s".into(),
        2..=19 => format!("{seconds} s"),
        20..=89 => format!("{} s", seconds / 10 * 10),
        90..=5399 => format!("{} min", (seconds + 30) / 60),
        _ => format!("{:.1} h", time.as_secs_f64() / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use atropos_protocol::FailureKind;

    use super::*;

    fn seconds(number: f64) -> Duration {
        Duration::from_secs_f64(number)
    }

    #[test]
    fn a_line_counts_what_was_done() {
        let start = Instant::now();
        let mut picture = RunState::new(start);
        picture.begin(RunPhase::Running, 100, start);
        assert_eq!(picture.line(start), "Running 0/100 mutants");
        picture.done(Some(Verdict::Killed(FailureKind::Panicked)), start);
        picture.done(Some(Verdict::Survived), start);
        picture.done(Some(Verdict::Unreached), start);
        picture.done(Some(Verdict::Unviable), start);
        assert_eq!(
            picture.line(start),
            "Running 4/100 mutants, 1 killed, 1 survived"
        );
        picture.begin(RunPhase::Building, 0, start);
        assert_eq!(picture.line(start + seconds(3.4)), "Building, 3 s so far");
    }

    #[test]
    fn a_test_that_takes_long_is_named() {
        let start = Instant::now();
        let mut picture = RunState::new(start);
        picture.begin(RunPhase::Checking, 3, start);
        picture
            .running
            .insert("quick".to_owned(), start + seconds(7.0));
        picture
            .running
            .insert("slow".to_owned(), start + seconds(1.0));
        assert_eq!(
            picture.line(start + seconds(8.0)),
            "Checking 0/3 tests, slow has been running for 7 s"
        );
        picture.running.remove("slow");
        assert_eq!(picture.line(start + seconds(8.0)), "Checking 0/3 tests");
    }

    #[test]
    fn a_long_exploration_says_how_far_it_is() {
        let start = Instant::now();
        let mut picture = RunState::new(start);
        picture.begin(RunPhase::Exploring, 3, start);
        let mut say = |test: &str, so_far, estimate| {
            picture.explored.insert(test.to_owned(), (so_far, estimate));
            picture.line(start)
        };
        assert_eq!(
            say("a", 1200, Some(48_711.0)),
            "Exploring 0/3 tests, a: 1200 of about 49000 schedules"
        );
        assert_eq!(
            say("b", 3000, Some(1e40)),
            "Exploring 0/3 tests, b: 3000 schedules of a great many"
        );
        assert_eq!(
            say("b", 4000, None),
            "Exploring 0/3 tests, b: 4000 schedules"
        );
    }

    #[test]
    fn a_mutant_that_is_tested_further_is_counted_once() {
        let start = Instant::now();
        let mut picture = RunState::new(start);
        picture.begin(RunPhase::Running, 2, start);
        picture.done(Some(Verdict::Unreached), start);
        picture.done(Some(Verdict::Survived), start);
        picture.undone(Verdict::Unreached);
        assert_eq!(
            picture.line(start),
            "Running 1/2 mutants, 0 killed, 1 survived"
        );
        picture.done(Some(Verdict::Killed(FailureKind::Failed)), start);
        assert_eq!(
            picture.line(start),
            "Running 2/2 mutants, 1 killed, 1 survived"
        );
    }

    #[test]
    fn the_estimate_follows_the_recent_rate() {
        let start = Instant::now();
        let mut picture = RunState::new(start);
        picture.begin(RunPhase::Running, 1000, start);
        // Ten a second for 50 seconds …
        for number in 1..=500 {
            picture.done(None, start + seconds(f64::from(number) * 0.1));
        }
        let now = start + seconds(50.0);
        assert_eq!(
            picture.line(now),
            "Running 500/1000 mutants, about 50 s left"
        );
        // … then one a second for 40: the window has forgotten the quick ones.
        for number in 1..=40 {
            picture.done(None, now + seconds(f64::from(number)));
        }
        let now = now + seconds(40.0);
        let about = |now| match picture.remaining(now) {
            Remaining::About(time) => time.as_secs_f64(),
            other => panic!("{other:?}"),
        };
        let remaining = about(now);
        assert!((430.0..=470.0).contains(&remaining), "{remaining}");
        // Nothing happens for a long time: the estimate grows instead of standing still.
        let later = about(now + seconds(60.0));
        assert!(later > 2.0 * remaining, "{later}");
    }

    #[test]
    fn what_is_known_before_counts_but_says_nothing_about_the_rate() {
        let start = Instant::now();
        let mut picture = RunState::new(start);
        let known = [Verdict::Survived; 90];
        picture.begin_running(100, known.into_iter(), start);
        assert_eq!(
            picture.line(start),
            "Running 90/100 mutants, 0 killed, 90 survived"
        );
        for number in 1..=5 {
            picture.done(None, start + seconds(f64::from(number) * 4.0));
        }
        let remaining = picture.remaining(start + seconds(20.0));
        assert_eq!(remaining, Remaining::About(seconds(20.0)));
    }

    #[test]
    fn an_estimate_that_was_wrong_is_not_repeated() {
        let start = Instant::now();
        let mut picture = RunState::new(start);
        picture.begin(RunPhase::Checking, 41, start);
        for number in 1..=40 {
            picture.done(None, start + seconds(f64::from(number) * 0.1));
        }
        let line = |after| picture.line(start + seconds(after));
        assert_eq!(line(5.0), "Checking 40/41 tests, about 1 s left");
        // The last one alone takes longer than all the others.
        assert_eq!(line(30.0), "Checking 40/41 tests, longer than expected");
    }

    #[test]
    fn a_test_under_exploration_counts_by_its_mutants() {
        let start = Instant::now();
        let mut picture = RunState::new(start);
        picture.begin(RunPhase::Exploring, 3, start);
        let mut say = |decided, done, seconds| {
            let now = start + Duration::from_secs(seconds);
            match done {
                true => picture.done(None, now),
                false => {
                    picture.mutants_of = Some(("a".to_owned(), decided, 10));
                    picture.sample(now);
                }
            }
            picture.line(now)
        };
        assert_eq!(say(5, false, 5), "Exploring 0/3 tests, a: 5/10 mutants");
        assert_eq!(say(0, true, 10), "Exploring 1/3 tests");
        assert_eq!(
            say(5, false, 15),
            "Exploring 1/3 tests, a: 5/10 mutants, about 15 s left"
        );
    }

    #[test]
    fn there_is_no_estimate_before_there_is_a_rate() {
        let start = Instant::now();
        let mut picture = RunState::new(start);
        picture.begin(RunPhase::Running, 100, start);
        for number in 1..=4 {
            picture.done(None, start + seconds(f64::from(number)));
        }
        let unknown = Remaining::Unknown;
        assert_eq!(picture.remaining(start + seconds(4.0)), unknown);
        picture.done(None, start + seconds(5.0));
        assert_ne!(picture.remaining(start + seconds(5.0)), unknown);
    }

    #[test]
    fn an_estimate_has_few_digits() {
        for (time, expected) in [
            (0.2, "1 s"),
            (7.9, "7 s"),
            (47.0, "40 s"),
            (100.0, "2 min"),
            (3000.0, "50 min"),
            (9000.0, "2.5 h"),
        ] {
            assert_eq!(rough(seconds(time)), expected);
        }
    }
}
