//! What can go wrong around a run: places that can't be written, disks that are full, models without end. The message
//! is clear, and what was found before is on disk.

use crate::cli::{self, ModelCommand};
use crate::loading::ModelSource;
use clap::Parser;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[derive(Parser)]
struct Line {
    #[command(subcommand)]
    command: ModelCommand,
}

/// A directory that is gone with the value.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("atropos-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a temporary directory");
        Place(path)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("written");
        path
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn generate(model: &Path, out: &Path) -> anyhow::Result<bool> {
    generate_until(model, out, &Arc::default())
}

fn generate_until(model: &Path, out: &Path, interrupted: &Arc<AtomicBool>) -> anyhow::Result<bool> {
    let arguments = [
        "model",
        "generate",
        "--depth=20",
        "--tests=2",
        "--workers=1",
    ];
    let mut line: Vec<String> = arguments.map(String::from).to_vec();
    line.extend(["--out".into(), out.display().to_string()]);
    line.push(model.display().to_string());
    cli::run(
        &Line::try_parse_from(line).expect("a right line").command,
        interrupted,
    )
}

const LAMP: &str = "types Lamp = autocons system |[ var on: bool
    actions ctr Press = requires true: on := not on; Shown(on) end; obs Shown(lit: bool) = requires true: skip end
    do Press() od ]| system Lamp";

#[test]
fn a_place_that_is_no_directory_is_told_before_anything_is_computed() {
    let place = Place::new("no-directory");
    let model = place.file("lamp.ooas", LAMP);
    let taken = place.file("taken", "a file");
    let error = generate(&model, &taken).expect_err("a file is no directory");
    let message = format!("{error:#}");
    assert!(message.starts_with("can't create"), "{message}");
}

#[test]
fn a_model_that_is_not_there_is_told_by_its_name() {
    let place = Place::new("no-model");
    let error = generate(&place.0.join("absent.ooas"), &place.0).expect_err("no such file");
    let message = format!("{error:#}");
    assert!(message.starts_with("can't read"), "{message}");
    assert!(message.contains("absent.ooas"), "{message}");
}

#[test]
fn a_full_disk_is_told_and_the_tests_before_are_there() {
    let place = Place::new("full-disk");
    let model = place.file("lamp.ooas", LAMP);
    let out = place.0.join("out");
    std::fs::create_dir(&out).expect("made");
    std::os::unix::fs::symlink("/dev/full", out.join("index.html.part")).expect("linked");
    let error = generate(&model, &out).expect_err("no space is left");
    let message = format!("{error:#}");
    assert!(
        message.contains("can't write") && message.contains("index.html"),
        "{message}"
    );
    for file in ["test_000.aut", "test_000.dot", "report.json"] {
        assert!(out.join(file).exists(), "{file}");
    }
}

#[test]
fn a_disk_that_fills_up_during_generation_leaves_what_was_written_and_a_report() {
    let place = Place::new("filling-disk");
    let model = place.file("lamp.ooas", LAMP);
    let out = place.0.join("out");
    std::fs::create_dir(&out).expect("made");
    std::os::unix::fs::symlink("/dev/full", out.join("test_000.dot.part")).expect("linked");
    let error = generate(&model, &out).expect_err("a test can't be written");
    let message = format!("{error:#}");
    assert!(
        message.contains("test_000.dot") && message.contains("0 tests and report.json are in"),
        "{message}"
    );
    for file in ["test_000.aut", "report.json", "index.html"] {
        assert!(out.join(file).is_file(), "{file}");
    }
}

#[test]
fn a_model_with_too_many_internal_states_ends_with_a_report() {
    let place = Place::new("endless");
    let text = LAMP
        .replace("var on", "var n: int[0..1000000]; on")
        .replace("do Press()", "do requires on: n := n + 1 end // Press()");
    let model = place.file("endless.ooas", &text);
    let out = place.0.join("out");
    assert!(!generate(&model, &out).expect("files can be written"));
    let report = std::fs::read_to_string(out.join("report.json")).expect("a report");
    assert!(report.contains("more states than are allowed"), "{report}");
    assert!(
        out.join("test_000.aut").exists(),
        "the way to where it goes wrong"
    );
}

#[test]
fn an_iteration_with_too_many_outcomes_is_an_error_and_no_explosion() {
    let place = Place::new("explosion");
    let text = "types C = autocons system |[ var a, b, c: int[0..99]
        actions ctr Any = requires true: (var x: int[0..99]: a := x); (var x: int[0..99]: b := x); (var x: int[0..99]: c := x) end
        do Any() od ]| system C";
    let model = place.file("explosion.ooas", text);
    let out = place.0.join("out");
    assert!(!generate(&model, &out).expect("files can be written"));
    let report = std::fs::read_to_string(out.join("report.json")).expect("a report");
    assert!(
        report.contains("more outcomes than can be explored"),
        "{report}"
    );
}

#[test]
fn an_error_in_a_charts_guard_is_shown_in_the_chart() {
    let place = Place::new("chart");
    let chart = "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" name=\"Door\" initial=\"Shut\">\n\
        <state id=\"Shut\">\n<transition event=\"open\" cond=\"missing &gt; 3\" target=\"Open\"/>\n</state>\n\
        <state id=\"Open\"/>\n</scxml>\n";
    let file = place.file("door.scxml", chart);
    let mut told = String::new();
    let mut tell = |text: &str| told.push_str(text);
    let source = ModelSource::read(&file, false, &mut tell).expect("readable");
    let loaded = source.and_then(|source| source.check(false, &mut tell));
    assert!(loaded.is_none());
    assert!(
        told.contains("door.scxml:3:") && told.contains("cond="),
        "{told}"
    );
    assert!(!told.contains("(translated)"), "{told}");
    assert!(told.contains("Help: declare it: `<data id="), "{told}");
}

#[test]
fn an_interrupted_run_leaves_a_report_that_says_so() {
    let place = Place::new("interrupted");
    let model = place.file("lamp.ooas", LAMP);
    let out = place.0.join("out");
    generate_until(&model, &out, &Arc::new(true.into())).expect("no error");
    let report = std::fs::read_to_string(out.join("report.json")).expect("a report");
    assert!(report.contains("it was interrupted"), "{report}");
}
