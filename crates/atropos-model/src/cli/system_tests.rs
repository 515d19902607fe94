//! `model test` and `model monitor`: real systems against a model.

use super::progress::ProgressLine;
use super::{count, load, what_stopped};
use crate::generation::{EngineKind, GenerationOptions, Workers};
use crate::results::{JsonSuite, JsonTest};
use crate::state_space::StateSpaceLimits;
use crate::testing::{Adapter, Monitor, MonitorEvent, MonitorStep, TestEnd, TestVerdict};
use anyhow::{Context as _, bail};
use clap::Args;
use std::io::{BufRead as _, Write};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct TestArgs {
    /// What `model generate` has written, or its tests.json
    pub suite: PathBuf,
    /// The command that starts the adapter; it is run by `sh`
    #[arg(long, value_name = "COMMAND")]
    pub adapter: String,
    /// Seconds that the adapter may take for one answer
    #[arg(long, default_value_t = 10.0)]
    pub timeout: f64,
    /// How often a test is run again whose run took another way that the model allows
    #[arg(long, default_value_t = 3)]
    pub retries: usize,
    /// Don't fail if a test stays inconclusive
    #[arg(long)]
    pub allow_inconclusive: bool,
}

#[derive(Debug, Args)]
pub struct MonitorArgs {
    /// The model
    pub file: PathBuf,
    /// What was given and seen, one line each: `ctr Input`, `obs Output`, `obs delta`, or JSON; `-` for standard input
    pub log: PathBuf,
    /// How many states internal steps may lead to between two visible ones
    #[arg(long, default_value_t = 100_000)]
    pub max_internal: usize,
}

pub(super) fn run_tests(args: &TestArgs, out: &mut dyn Write) -> anyhow::Result<bool> {
    if !(args.timeout > 0.0 && args.timeout <= 86_400.0) {
        bail!("--timeout takes seconds, more than 0 and at most a day");
    }
    let file = match args.suite.is_dir() {
        true => args.suite.join("tests.json"),
        false => args.suite.clone(),
    };
    let text =
        std::fs::read_to_string(&file).with_context(|| format!("can't read {}", file.display()))?;
    let suite = JsonSuite::parse(&text).with_context(|| format!("in {}", file.display()))?;
    let limit = Duration::from_secs_f64(args.timeout);
    let mut adapter: Option<Adapter> = None;
    let mut line = ProgressLine::new();
    let mut counts = [0usize; 4];
    for (at, test) in suite.tests.iter().enumerate() {
        line.show(|| format!("test {}/{}", at + 1, suite.tests.len()));
        let end = run_again(&mut adapter, args, limit, test);
        line.end();
        let kind = tell_end(test, &end, out)?;
        counts[kind] += 1;
        if end.is_err() {
            adapter = None;
        }
    }
    let [passed, failed, inconclusive, errors] = counts;
    writeln!(
        out,
        "{}: {passed} passed, {failed} failed, {inconclusive} inconclusive, {errors} not run to the end",
        count(suite.tests.len(), "test", "tests")
    )?;
    Ok(failed + errors == 0 && (inconclusive == 0 || args.allow_inconclusive))
}

/// Runs a test, again while it is inconclusive.
fn run_again(
    adapter: &mut Option<Adapter>,
    args: &TestArgs,
    limit: Duration,
    test: &JsonTest,
) -> anyhow::Result<TestEnd> {
    let mut left = args.retries;
    loop {
        let running = match adapter {
            Some(adapter) => adapter,
            None => adapter.insert(Adapter::start(&args.adapter, limit)?),
        };
        let end = running.run(test)?;
        if end.verdict != TestVerdict::Inconclusive || left == 0 {
            return Ok(end);
        }
        left -= 1;
    }
}

/// Tells how a test ended; the number of its kind.
fn tell_end(
    test: &JsonTest,
    end: &anyhow::Result<TestEnd>,
    out: &mut dyn Write,
) -> std::io::Result<usize> {
    let name = &test.name;
    let (kind, trace) = match end {
        Err(error) => {
            writeln!(out, "{name}: not run to the end: {error:#}")?;
            return Ok(3);
        }
        Ok(TestEnd { verdict, trace }) => match verdict {
            TestVerdict::Pass => {
                writeln!(out, "{name}: pass")?;
                return Ok(0);
            }
            TestVerdict::Fail { seen, expected } => {
                let expected = expected.join(" or ");
                writeln!(
                    out,
                    "{name}: FAIL: the system shows {seen}, the model {expected}"
                )?;
                (1, trace)
            }
            TestVerdict::Inconclusive => {
                writeln!(
                    out,
                    "{name}: inconclusive: the system took another way, which the model allows"
                )?;
                (2, trace)
            }
        },
    };
    for step in trace {
        writeln!(out, "  {step}")?;
    }
    Ok(kind)
}

pub(super) fn monitor(args: &MonitorArgs, out: &mut dyn Write) -> anyhow::Result<bool> {
    let Some(loaded) = load(&args.file)? else {
        return Ok(false);
    };
    let limits = StateSpaceLimits {
        closure: args.max_internal,
    };
    let options = GenerationOptions {
        workers: 1,
        engine: EngineKind::Jit,
        limits,
        ..GenerationOptions::default()
    };
    let explorer = Workers::new(&loaded.model, &options)?.into_first();
    let mut monitor = Monitor::new(explorer, limits);
    let log = args.log.display();
    let input: Box<dyn std::io::BufRead> = match args.log.as_os_str() == "-" {
        true => Box::new(std::io::stdin().lock()),
        false => Box::new(std::io::BufReader::new(
            std::fs::File::open(&args.log).with_context(|| format!("can't read {log}"))?,
        )),
    };
    let mut events = 0;
    for (at, line) in input.lines().enumerate() {
        let line = line.with_context(|| format!("can't read {log}"))?;
        let place = format!("{log}:{}", at + 1);
        let event = match MonitorEvent::parse(&line) {
            Ok(None) => continue,
            Ok(Some(event)) => event,
            Err(why) => bail!("{place}: {why}"),
        };
        let list = |all: &[String]| match all.is_empty() {
            true => "nothing".to_string(),
            false => all.join(", "),
        };
        let message = match monitor.follow(&event) {
            MonitorStep::Allowed => {
                events += 1;
                continue;
            }
            MonitorStep::Wrong(allowed) => format!(
                "{place}: the model does not show this here: {}; it shows {}",
                line.trim(),
                list(&allowed)
            ),
            MonitorStep::Unspecified(taken) => format!(
                "{place}: the model does not say what happens here: {}; it takes {}",
                line.trim(),
                list(&taken)
            ),
            MonitorStep::Stopped(stop) => {
                let after = format!("at {place}");
                what_stopped(&loaded.model, &loaded.source, &stop, &after)
            }
        };
        writeln!(out, "{message}")?;
        writeln!(
            out,
            "{} before it are as the model says",
            count(events, "event", "events")
        )?;
        return Ok(false);
    }
    writeln!(
        out,
        "{log}: {} as the model says",
        count(events, "event is", "events are")
    )?;
    Ok(true)
}
