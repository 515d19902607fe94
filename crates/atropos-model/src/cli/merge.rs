//! `model merge`: the suites of several `model generate --shard` as one that kills what all of them kill, with as few tests as
//! needed.
//!
//! Nothing that the parts claim is taken over: every mutant is run on every test again, and what is seen there counts. Equal tests
//! count once, and tests are put in the order of their texts, so the order of the parts makes no difference.

use super::check_tests::{COUNTED, Claims, read};
use super::generate::load_suite;
use crate::generation::{GenerationOptions, Workers};
use crate::mutation::ModelMutantId;
use crate::results::{JsonSuite, JsonTest, prepare, put, test_file};
use crate::state_space::StateSpaceLimits;
use crate::testing::{KillMatrix, Shortcuts, reduce};
use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct MergeArgs {
    /// What `model generate --shard` has written
    #[arg(required = true)]
    pub parts: Vec<PathBuf>,
    /// Where the joined suite goes
    #[arg(short, long, default_value = "model-tests")]
    pub out: PathBuf,
}

/// A test of a part, but for its text.
struct PartTest {
    dot: Option<String>,
    json: JsonTest,
}

/// What the parts have together.
struct Joined {
    claims: Claims,
    /// The file of the model, and what is in it.
    model: (PathBuf, String),
    name: String,
    /// By their texts.
    tests: BTreeMap<String, PartTest>,
    mutants: BTreeSet<ModelMutantId>,
}

impl Joined {
    fn of(parts: &[PathBuf]) -> anyhow::Result<Joined> {
        let mut parts = parts.iter();
        let first = parts.next().context("no part was given")?;
        let mut joined = Joined::read(first)?;
        for part in parts {
            let other = Joined::read(part)?;
            let is_same =
                other.model.1 == joined.model.1 && other.claims.suite == joined.claims.suite;
            if !is_same {
                bail!(
                    "{} was made from another model than {}, or with other options",
                    part.display(),
                    first.display()
                );
            }
            joined.tests.extend(other.tests);
            joined.mutants.extend(other.mutants);
        }
        Ok(joined)
    }

    fn read(directory: &Path) -> anyhow::Result<Joined> {
        let claims = Claims::read(directory)?;
        let file = directory.join(claims.chart.as_deref().unwrap_or("model.ooas"));
        let text = read(&file)?;
        let suite = JsonSuite::parse(&read(&directory.join("tests.json"))?)
            .with_context(|| format!("can't use {}", directory.join("tests.json").display()))?;
        let mut tests = BTreeMap::new();
        for test in &claims.tests {
            let place = directory.join(&test.file);
            let json = suite.tests.iter().find(|json| json.name == test.file);
            let json = json.with_context(|| format!("tests.json lacks {}", test.file))?;
            let dot = std::fs::read_to_string(place.with_extension("dot")).ok();
            let json = json.clone();
            tests.insert(read(&place.with_extension("aut"))?, PartTest { dot, json });
        }
        let counted = claims.mutants.iter();
        let counted = counted.filter(|mutant| COUNTED.contains(&mutant.status.as_str()));
        Ok(Joined {
            mutants: counted.map(|mutant| ModelMutantId(mutant.id)).collect(),
            claims,
            model: (file, text),
            name: suite.model,
            tests,
        })
    }
}

pub(super) fn merge(args: &MergeArgs, out: &mut dyn Write) -> anyhow::Result<bool> {
    let joined = Joined::of(&args.parts)?;
    let Some(loaded) = load_suite(&joined.model.0, &joined.claims.suite)? else {
        return Ok(false);
    };
    let limits = StateSpaceLimits {
        closure: joined.claims.suite.max_internal,
    };
    let mut workers = Workers::new(&loaded.model, &GenerationOptions::default())?;
    let most = loaded.model.mutants.list.len() as u32;
    if let Some(unknown) = joined.mutants.iter().find(|id| id.0 == 0 || id.0 > most) {
        bail!(
            "the parts speak of mutant {}, which their model does not have",
            unknown.0
        );
    }
    let texts: Vec<String> = joined.tests.keys().cloned().collect();
    let ids: Vec<ModelMutantId> = joined.mutants.iter().copied().collect();
    let matrix = KillMatrix::compute(&mut workers, &ids, &texts, limits, Shortcuts::Taken);
    if let Some(fault) = matrix.faults.first() {
        bail!("the parts' tests are wrong: {fault}");
    }
    let kept = reduce(&matrix);
    write(&args.out, &joined, &matrix, &kept)?;
    let killed = matrix.rows.iter().filter(|row| !row.killers().is_empty());
    writeln!(
        out,
        "{}: {} in {}, of {} in {}, kill all {} that any of them kills, of {} run",
        joined.name,
        super::count(kept.len(), "test", "tests"),
        args.out.display(),
        super::count(texts.len(), "different one", "different ones"),
        super::count(args.parts.len(), "part", "parts"),
        super::count(killed.count(), "mutant", "mutants"),
        matrix.rows.len()
    )?;
    Ok(true)
}

/// Writes the tests that are kept, and what `model check-tests` needs.
fn write(
    directory: &Path,
    joined: &Joined,
    matrix: &KillMatrix,
    kept: &[usize],
) -> anyhow::Result<()> {
    prepare(directory)?;
    let all: Vec<(&String, &PartTest)> = joined.tests.iter().collect();
    let mut suite = JsonSuite::new(&joined.name);
    for (number, &at) in kept.iter().enumerate() {
        let (text, test) = all[at];
        let name = test_file(number);
        put(directory, &format!("{name}.aut"), text)?;
        if let Some(dot) = &test.dot {
            put(directory, &format!("{name}.dot"), dot)?;
        }
        let mut json = test.json.clone();
        json.name = name;
        suite.tests.push(json);
    }
    put(
        directory,
        "tests.json",
        &serde_json::to_string_pretty(&suite)?,
    )?;
    let file = joined.claims.chart.as_deref().unwrap_or("model.ooas");
    if let Some(place) = directory.join(file).parent() {
        std::fs::create_dir_all(place)
            .with_context(|| format!("can't make {}", place.display()))?;
    }
    put(directory, file, &joined.model.1)?;
    let mutant = |row: &crate::testing::MutantRow| {
        let killers = row.killers();
        let by = (0..kept.len()).filter(|&number| killers.contains(&kept[number]));
        let by: Vec<usize> = by.collect();
        let status = if by.is_empty() { "given up" } else { "killed" };
        json!({ "id": row.mutant.0, "status": status, "killed_by": by })
    };
    let report = json!({
        "model": joined.name,
        "chart": joined.claims.chart,
        "suite": joined.claims.suite,
        "tests": suite.tests.iter().map(|test| json!({ "file": test.name })).collect::<Vec<_>>(),
        "mutants": matrix.rows.iter().map(mutant).collect::<Vec<_>>(),
    });
    put(
        directory,
        "report.json",
        &serde_json::to_string_pretty(&report)?,
    )
}
