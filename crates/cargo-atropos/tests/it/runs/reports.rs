//! Reports that a run writes: the page, Stryker's JSON, SARIF, and what GitHub Actions is told.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use atropos_report::outcomes::Outcomes;
use atropos_report::verdict::Verdict;
use serde_json::Value;

use crate::runs::tree::{Run, Tree};

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|_| panic!("no {}", path.display()))
}

#[test]
fn a_run_writes_the_reports_that_were_asked_for() {
    let tree = Tree::of("survivor_impact");
    let summary = tree.scratch().join("summary.md");
    fs::write(&summary, "before\n").unwrap();
    let in_actions = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap()),
    ];
    let run = tree.run_with(&["--impact", "--no-doc", "--report", "all"], &in_actions);
    let run = run.has_code(2);
    for line in [
        "Page:  target/atropos/report.html",
        "JSON:  target/atropos/report.stryker.json",
        "SARIF: target/atropos/report.sarif",
    ] {
        run.says(line);
    }
    let file = |name: &str| read(&tree.output().join(name));
    the_page(&file("report.html"), run.outcomes());
    stryker(&file("report.stryker.json"), run.outcomes());
    sarif(&file("report.sarif"), run.outcomes());
    annotations(&run);
    let markdown = read(&summary);
    assert!(
        markdown.starts_with("before\n## Mutants\n\n**Score: "),
        "{markdown}"
    );

    // What is made again is the same.
    for (format, name) in [
        ("html", "report.html"),
        ("stryker", "report.stryker.json"),
        ("sarif", "report.sarif"),
    ] {
        let again = tree
            .run(&["report", "--format", format, "-o", "-"])
            .has_code(0);
        assert!(again.stdout == file(name), "{format}");
    }

    // The next run takes away what it does not write, and is told not to annotate; its JSON is nothing but JSON.
    let arguments = ["--report", "sarif", "--annotations", "none", "--no-doc"];
    let run = tree.run_with(&arguments, &in_actions).has_code(2);
    assert!(!run.stdout.contains("::warning"), "{}", run.stdout);
    assert!(!tree.output().join("report.html").exists());
    assert!(!tree.output().join("report.stryker.json").exists());
    sarif(&file("report.sarif"), run.outcomes());
    assert_eq!(read(&summary), markdown);
    let run = tree.run_with(&["--json", "--report", "none", "--no-doc"], &in_actions);
    let run = run.has_code(2);
    let printed: Outcomes = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(&printed, run.outcomes());
    assert!(run.stderr.contains("::warning file="), "{}", run.stderr);
    assert!(!tree.output().join("report.sarif").exists());

    // The sources are compared with those of the run.
    tree.edit("src/kinds.rs", "//!", "//! !");
    tree.run(&["report"])
        .has_code(1)
        .says("error: src/kinds.rs has changed since the run");
}

fn the_page(page: &str, outcomes: &Outcomes) {
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    for record in &outcomes.mutants {
        let element = format!(" id=\"m{}\"", record.info.id.0);
        assert_eq!(page.matches(&element).count(), 1, "{}", record.info);
    }
    let first = outcomes
        .mutants
        .iter()
        .find(|record| record.rank == Some(1));
    let impact = first
        .and_then(|first| first.impact.as_ref())
        .expect("a survivor");
    assert!(page.contains(&format!("<dt>why<dd>{}", impact.reason())));
    assert!(page.contains("<dt>killed by<dd><code>"));
}

fn stryker(text: &str, outcomes: &Outcomes) {
    let report: Value = serde_json::from_str(text).unwrap();
    assert_eq!(report["schemaVersion"], "2");
    assert!(report["thresholds"]["high"].is_u64() && report["thresholds"]["low"].is_u64());
    let files = report["files"].as_object().unwrap();
    let mutants: Vec<&Value> = files
        .values()
        .flat_map(|file| {
            assert_eq!(file["language"], "rust");
            assert!(file["source"].as_str().unwrap().starts_with("//!"));
            file["mutants"].as_array().unwrap()
        })
        .collect();
    assert_eq!(mutants.len(), outcomes.mutants.len());
    let number = |status: &str| mutants.iter().filter(|one| one["status"] == status).count();
    let totals = &outcomes.totals;
    assert_eq!(number("Killed") + number("Timeout"), totals.killed);
    assert_eq!(number("Survived"), totals.survived + totals.uninfected);
    assert_eq!(number("NoCoverage"), totals.unreached);
    for mutant in mutants {
        for field in ["id", "mutatorName", "replacement"] {
            assert!(mutant[field].is_string(), "{field}: {mutant}");
        }
        // What the location says is what the outcomes say is replaced.
        let key = mutant["id"].as_str().unwrap();
        let mut records = outcomes.mutants.iter();
        let record = records
            .find(|record| record.info.key == key)
            .expect("a mutant");
        let source = files[&record.info.file]["source"].as_str().unwrap();
        let offset = |end: &str| {
            let place = &mutant["location"][end];
            let line = place["line"].as_u64().unwrap() as usize;
            let column = place["column"].as_u64().unwrap() as usize;
            let before: usize = source
                .split_inclusive('\n')
                .take(line - 1)
                .map(str::len)
                .sum();
            // There are only plain letters in these sources' code.
            before + column - 1
        };
        assert_eq!(
            &source[offset("start")..offset("end")],
            record.info.original
        );
    }
}

fn sarif(text: &str, outcomes: &Outcomes) {
    let log: Value = serde_json::from_str(text).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert!(driver["name"].is_string() && driver["rules"].is_array());
    let results = run["results"].as_array().unwrap();
    let warnings = results.iter().filter(|result| result["level"] == "warning");
    assert_eq!(warnings.count(), outcomes.totals.survived);
    for result in results {
        assert!(result["ruleId"].is_string() && result["message"]["text"].is_string());
        let location = &result["locations"][0]["physicalLocation"];
        let uri = location["artifactLocation"]["uri"].as_str().unwrap();
        assert!(uri.ends_with(".rs"), "{uri}");
        assert!(location["region"]["startLine"].as_u64().unwrap() > 0);
        assert!(result["partialFingerprints"]["atropos/v1"].is_string());
    }
}

fn annotations(run: &Run) {
    let lines: Vec<&str> = run
        .stdout
        .lines()
        .filter(|line| line.starts_with("::warning file="))
        .collect();
    let mutants = &run.outcomes().mutants;
    let survived = mutants
        .iter()
        .filter(|record| record.verdict == Some(Verdict::Survived));
    let places: BTreeSet<(&str, u32)> = survived
        .map(|record| (record.info.file.as_str(), record.info.line))
        .collect();
    assert_eq!(lines.len(), places.len().min(10));
    let first = mutants
        .iter()
        .find(|record| record.rank == Some(1))
        .expect("a survivor");
    let info = &first.info;
    let place = format!("{},line={},col={},", info.file, info.line, info.column);
    assert!(lines[0].contains(&place), "{} is not {place}", lines[0]);
}
