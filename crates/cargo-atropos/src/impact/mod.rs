//! Which survivors matter: what each of them disturbs, although no test notices it.
//!
//! Flow: [`program`] numbers the functions; [`affordable_tests`] chooses tests; [`crate::build::observed`] builds those that
//! observe; [`learning`] runs every test without a mutant, twice; [`measuring`] runs the survivors under
//! tests that they infect and compares; [`communication`] takes what explorations recorded of threads;
//! [`suggest`] makes sentences and assertions of it. The
//! order of survivors is made in `atropos_report::impact`.

mod affordable_tests;
mod assertion;
mod calls;
mod communication;
mod learning;
mod matrix;
mod measuring;
mod observer;
mod program;
mod suggest;
mod trace;
mod workers;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use atropos_mutants::mutant::MutantId;
use atropos_report::impact::Impact;
use atropos_report::verdict::Verdict;

use self::affordable_tests::AffordableTests;
use self::learning::ObservedOriginal;
use self::measuring::{ObservedMutantRun, TestShare};
use self::observer::{ObservedTest, Observer, ObserverSetting};
use self::program::ObservedProgram;
use self::workers::WorkerSetting;
use crate::arguments::ExecuteOptions;
use crate::build::observed::{ObservationPlan, ObservedBuild, build_observed};
use crate::build::{Build, BuildFailure, headline};
use crate::execute::Executed;
use crate::interrupt::Interrupt;
use crate::prepare::Prepared;
use crate::progress::{Progress, RunPhase};
use crate::sandbox::SeenOfTests;
use crate::scratch::Scratch;

/// What is needed to measure.
pub struct MeasurementInputs<'a> {
    pub prepared: &'a Prepared,
    pub build: &'a Build,
    pub executed: &'a Executed,
    pub interrupt: &'a Interrupt,
    pub progress: &'a Progress,
}

/// What survivors disturb, and what it took to find out.
#[derive(Default)]
pub struct Impacts {
    pub of: BTreeMap<MutantId, Impact>,
    pub seconds: f64,
    /// The processor's time of all tests once, observed.
    pub observed: f64,
}

/// What was seen of the original and of mutants.
#[derive(Default)]
struct Observed {
    original: ObservedOriginal,
    runs: BTreeMap<MutantId, Vec<ObservedMutantRun>>,
}

/// Measures what survivors disturb, unless that is not wanted or would take long. Problems cost
/// the ranking, never the run.
pub fn measure(measure: &MeasurementInputs<'_>) -> Impacts {
    let start = Instant::now();
    let options = &measure.prepared.options.execute;
    let mut wanted = measure.wanted();
    let observable = AffordableTests::all(&measure.executed.tests);
    wanted.retain(|mutant| observable.meet(&measure.executed.standings[mutant.index()]));
    let is_moot = wanted.is_empty() && measure.explored().is_empty();
    if options.no_impact || is_moot || measure.interrupt.is_requested() {
        return Impacts::default();
    }
    let program = ObservedProgram::of(&measure.prepared.plan, &measure.prepared.texts);
    let affordable = affordable(options, measure.executed);
    let (within, beyond): (BTreeSet<MutantId>, BTreeSet<MutantId>) = wanted
        .iter()
        .copied()
        .partition(|mutant| affordable.meet(&measure.executed.standings[mutant.index()]));
    if within.is_empty() && !beyond.is_empty() {
        // What threads told each other is known already.
        let mut of = measure.tell(&program, &Observed::default());
        of.retain(|_, impact| !impact.communications.is_empty());
        measure.progress.say(match of.is_empty() {
            true => "note: the tests take long, so survivors are not ranked; --impact does it anyway",
            false => {
                "note: the tests take long, so survivors are ranked by how their threads interact alone; --impact also \
                 measures what they disturb"
            }
        });
        return Impacts {
            of,
            ..Impacts::default()
        };
    }
    if !beyond.is_empty() {
        measure.progress.say(&format!(
            "note: {} of {} survivors are not ranked, because their tests take long; --impact does it anyway",
            beyond.len(),
            wanted.len()
        ));
    }
    let observed = match within.is_empty() {
        true => Ok(Observed::default()),
        false => measure.observe(&program, &within, &affordable, start),
    };
    let observed = observed.unwrap_or_else(|error| {
        let line = format!("warning: survivors are not ranked by impact: {error:#}");
        measure.progress.say(&line);
        Observed::default()
    });
    Impacts {
        of: measure.tell(&program, &observed),
        observed: observed.original.seconds,
        seconds: start.elapsed().as_secs_f64(),
    }
}

/// The tests that are observed under these options.
fn affordable(options: &ExecuteOptions, executed: &Executed) -> AffordableTests {
    match options.impact || options.impact_matrix {
        true => AffordableTests::all(&executed.tests),
        false => AffordableTests::cheapest(&executed.tests),
    }
}

/// Programs that observe every mutant that may survive, for a run elsewhere. None where such a run would not measure.
pub fn observed_programs(
    prepared: &Prepared,
    build: &Build,
    executed: &Executed,
    interrupt: &Interrupt,
) -> Result<Option<ObservedBuild>> {
    let options = &prepared.options.execute;
    let affordable = affordable(options, executed);
    let infos = prepared.plan.mutants.iter();
    let wanted: BTreeSet<MutantId> = infos
        .filter(|info| !info.needs_exploration)
        .filter(|info| affordable.meet(&executed.standings[info.id.index()]))
        .map(|info| info.id)
        .collect();
    if options.no_impact || wanted.is_empty() {
        return Ok(None);
    }
    let observation = ObservationPlan {
        first: ObservedProgram::of(&prepared.plan, &prepared.texts).first,
        wanted,
    };
    let targets = affordable.targets(&executed.tests, &executed.standings, &observation.wanted);
    match build_observed(prepared, interrupt, build, observation, targets) {
        Ok(build) => Ok(Some(build)),
        Err(BuildFailure::Interrupted) => Ok(None),
        Err(BuildFailure::Internal(error)) => Err(error),
        Err(BuildFailure::DoesNotCompile(said)) => {
            anyhow::bail!(
                "the tests do not build with observation: {}",
                headline(&said)
            )
        }
    }
}

impl MeasurementInputs<'_> {
    /// The mutants to be measured: survivors, or for the matrix all that make a difference.
    fn wanted(&self) -> BTreeSet<MutantId> {
        let all = self.prepared.options.execute.impact_matrix;
        let standings = self.executed.standings.iter().enumerate();
        standings
            .filter(|(_, standing)| match standing.verdict() {
                Some(Verdict::Survived) => true,
                _ => all && !standing.infected_by.is_empty(),
            })
            // What is observed are ordinary runs, in which some mutants don't act.
            .filter(|(id, _)| !self.acts_only_explored(*id))
            .map(|(id, _)| MutantId(id as u32))
            .collect()
    }

    /// Survivors of tests whose schedules were explored, where it was recorded what threads tell each other.
    fn explored(&self) -> BTreeSet<MutantId> {
        let standings = self.executed.standings.iter().enumerate();
        standings
            .filter(|(_, standing)| standing.verdict() == Some(Verdict::Survived))
            .filter(|(_, standing)| !standing.explored.is_empty())
            .map(|(id, _)| MutantId(id as u32))
            .collect()
    }

    fn acts_only_explored(&self, id: usize) -> bool {
        let infos = &self.prepared.plan.mutants;
        let info = id.checked_sub(1).and_then(|index| infos.get(index));
        info.is_some_and(|info| info.needs_exploration)
    }

    /// The programs that observe; none if the user wants to end.
    fn build_observing(
        &self,
        program: &ObservedProgram,
        wanted: &BTreeSet<MutantId>,
        affordable: &AffordableTests,
    ) -> Result<Option<ObservedBuild>> {
        let MeasurementInputs {
            prepared,
            executed,
            interrupt,
            progress,
            ..
        } = *self;
        let observation = ObservationPlan {
            first: program.first.clone(),
            wanted: wanted.clone(),
        };
        let verdicts = executed.standings.iter().filter_map(|it| it.verdict());
        progress.so_far(verdicts, "what survivors disturb");
        progress.phase(RunPhase::Building, 0);
        let observed = match &prepared.archived {
            Some(archived) => archived.observed().map_err(BuildFailure::Internal),
            None => {
                let targets = affordable.targets(&executed.tests, &executed.standings, wanted);
                build_observed(prepared, interrupt, self.build, observation, targets)
            }
        };
        match observed {
            Ok(build) => Ok(Some(build)),
            Err(BuildFailure::Interrupted) => Ok(None),
            Err(BuildFailure::Internal(error)) => Err(error),
            Err(BuildFailure::DoesNotCompile(said)) => {
                let why = headline(&said);
                anyhow::bail!("the tests do not build with observation: {why}");
            }
        }
    }

    /// Builds with observation, learns, and runs the wanted mutants.
    fn observe(
        &self,
        program: &ObservedProgram,
        wanted: &BTreeSet<MutantId>,
        affordable: &AffordableTests,
        start: Instant,
    ) -> Result<Observed> {
        let MeasurementInputs {
            prepared,
            executed,
            interrupt,
            progress,
            ..
        } = *self;
        let Some(build) = self.build_observing(program, wanted, affordable)? else {
            return Ok(Observed::default());
        };
        let scratch = Scratch::make(&prepared.output_directory, "observing")?;
        let setting = ObserverSetting {
            binaries: &build.binaries,
            test_arguments: &prepared.options.execute.test_args,
            numbering: prepared.plan.numbering(),
            scratch: scratch.path().to_owned(),
            program,
            seen: Arc::new(SeenOfTests::new(&prepared.plan)),
        };
        let team = WorkerSetting {
            setting: &setting,
            jobs: prepared.options.jobs(),
            timeout_multiplier: prepared.options.timeout_multiplier(),
            interrupt,
        };
        let tests = self.tests(&setting, affordable)?;
        progress.phase(RunPhase::Observing, 0);
        let built = start.elapsed().as_secs_f64();
        let original = learning::learn(&team, &tests)?;
        let learned = start.elapsed().as_secs_f64();
        let wanted: BTreeSet<MutantId> = wanted.intersection(&build.built).copied().collect();
        let options = &prepared.options.execute;
        let share = if options.impact_matrix {
            TestShare::AtMost(matrix::TESTS_PER_MUTANT)
        } else if options.impact {
            TestShare::All
        } else {
            TestShare::Quick
        };
        let runs = measuring::measure(&team, executed, &tests, &original, &wanted, share)?;
        if options.impact_matrix {
            let times = matrix::Times {
                build: built,
                learn: learned - built,
                check: start.elapsed().as_secs_f64() - learned,
            };
            matrix::write(
                &prepared.output_directory,
                &original,
                &runs,
                &program.functions_of(&prepared.plan.mutants),
                times,
            )?;
        }
        drop(scratch);
        Ok(Observed { original, runs })
    }

    /// Puts what was observed and what was explored into words.
    fn tell(&self, program: &ObservedProgram, observed: &Observed) -> BTreeMap<MutantId, Impact> {
        let plan = &self.prepared.plan;
        let functions = program.functions_of(&plan.mutants);
        let suggestion_facts = suggest::SuggestionFacts {
            program,
            original: &observed.original,
            texts: &self.prepared.texts,
            root: plan.workspace_root.as_std_path(),
            tests: &self.executed.tests,
        };
        let mut mutants = self.explored();
        mutants.extend(observed.runs.keys());
        mutants
            .into_iter()
            .filter_map(|mutant| {
                let index = mutant.0 as usize;
                let info = plan.mutants.get(index - 1)?;
                let runs = observed.runs.get(&mutant).map_or(&[][..], Vec::as_slice);
                let explored = &self.executed.standings[index].explored;
                let impact = suggestion_facts.impact(info, functions.get(&mutant), runs, explored);
                Some((mutant, impact))
            })
            .collect()
    }

    /// The tests of this run that the observing build has as well.
    fn tests(
        &self,
        setting: &ObserverSetting<'_>,
        affordable: &AffordableTests,
    ) -> Result<Vec<ObservedTest>> {
        let mut observer = Observer::new(setting, 0)?;
        let mut tests = Vec::new();
        for (number, binary) in setting.binaries.iter().enumerate() {
            if !binary.harness {
                continue;
            }
            for (index, name) in observer.tests(number).into_iter().enumerate() {
                let id = self.executed.tests.iter().position(|test| {
                    test.name == name
                        && test.package == binary.package
                        && test.target == binary.target
                });
                if let Some(id) = id.filter(|id| affordable.contains(*id)) {
                    tests.push(ObservedTest {
                        id,
                        binary: number,
                        index,
                    });
                }
            }
        }
        Ok(tests)
    }
}
