//! `model generate --shard` and `model merge`: the joined suite kills what the parts kill, whatever their order and grouping.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Parser as _;
use serde_json::Value;

use crate::cli::{self, ModelCommand};

#[derive(clap::Parser)]
struct CommandLine {
    #[command(subcommand)]
    command: ModelCommand,
}

fn run(words: &[&str]) -> anyhow::Result<bool> {
    let words = ["model"].iter().chain(words);
    let line = CommandLine::try_parse_from(words)?;
    cli::run(&line.command, &Arc::new(AtomicBool::new(false)))
}

fn text(path: &Path) -> &str {
    path.to_str().expect("text")
}

/// The mutants that the report of a directory says are killed.
fn killed(directory: &Path) -> BTreeSet<u64> {
    let report = std::fs::read_to_string(directory.join("report.json")).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let mutants = report["mutants"].as_array().expect("mutants").iter();
    let killed = mutants.filter(|mutant| mutant["status"] == "killed");
    killed.filter_map(|mutant| mutant["id"].as_u64()).collect()
}

fn generate(model: &Path, shard: &str, out: &Path) {
    let model = text(model);
    let line = [
        "generate",
        model,
        "--tests",
        "4",
        "--depth",
        "12",
        "--strategy",
        "s1",
    ];
    let line = [&line[..], &["--shard", shard, "-o", text(out)]].concat();
    assert!(run(&line).expect("it generates"));
}

#[test]
fn joined_suites_kill_what_their_parts_kill_in_any_order_and_grouping() {
    let place = tempfile::tempdir().expect("a directory");
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/models/car_alarm.ooas");
    let parts: Vec<PathBuf> = (0..3)
        .map(|index| place.path().join(format!("part-{index}")))
        .collect();
    for (index, part) in parts.iter().enumerate() {
        generate(&model, &format!("{index}/3"), part);
    }
    let of_parts: Vec<BTreeSet<u64>> = parts.iter().map(|part| killed(part)).collect();
    // Each shard has tests of its own.
    assert!(of_parts.iter().any(|kills| *kills != of_parts[0]));
    let all: BTreeSet<u64> = of_parts.iter().flatten().copied().collect();
    let merge = |parts: &[&Path], out: &str| {
        let out = place.path().join(out);
        let mut line = vec!["merge"];
        line.extend(parts.iter().map(|part| text(part)));
        line.extend(["-o", text(&out)]);
        assert!(run(&line).expect("they can be joined"));
        assert!(run(&["check-tests", text(&out)]).expect("it can be checked"));
        out
    };
    let [a, b, c] = [0, 1, 2].map(|index| parts[index].as_path());
    let whole = merge(&[a, b, c], "whole");
    assert!(killed(&whole).is_superset(&all));
    let tests = |directory: &Path| std::fs::read(directory.join("tests.json")).expect("tests");
    let turned = merge(&[c, a, b, a], "turned");
    assert_eq!(tests(&turned), tests(&whole));
    let first = merge(&[a, b], "first");
    let grouped = merge(&[&first, c], "grouped");
    assert_eq!(killed(&grouped), killed(&whole));
    let again = merge(&[&whole, &whole], "again");
    assert_eq!(tests(&again), tests(&whole));
}

#[test]
fn suites_of_other_models_are_not_joined_and_shards_without_tests_are_refused() {
    let place = tempfile::tempdir().expect("a directory");
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/models");
    let [one, other] = ["one", "other"].map(|name| place.path().join(name));
    generate(&models.join("car_alarm.ooas"), "0/2", &one);
    generate(&models.join("heater.scxml"), "0/2", &other);
    let out = place.path().join("out");
    let error = run(&["merge", text(&one), text(&other), "-o", text(&out)]).expect_err("differs");
    assert!(
        error.to_string().contains("was made from another model"),
        "{error}"
    );
    assert!(!out.exists());
    let model = models.join("car_alarm.ooas");
    let line = [
        "generate",
        text(&model),
        "--tests",
        "2",
        "--shard",
        "0/3",
        "-o",
        text(&out),
    ];
    let error = run(&line).expect_err("too many shards");
    assert!(error.to_string().contains("3 shards"), "{error}");
}
