//! Pictures of failing schedules: a page with all of them, and a file each for viewers of traces.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use atropos_report::schedules::{FailingTest, chrome_trace, page};

use super::report::TestReport;

/// The page, in the output directory …
const PAGE: &str = "explored.html";
/// … and the directory beside it with a file for each test.
const CHROME_TRACES: &str = "explored";

/// Writes the pictures of what fails and gives the page; removes those of an earlier exploration if nothing does.
pub fn write(reports: &[TestReport], output_directory: &Path) -> Result<Option<PathBuf>> {
    let path = output_directory.join(PAGE);
    let directory = output_directory.join(CHROME_TRACES);
    unless_absent(fs::remove_dir_all(&directory), &directory)?;
    unless_absent(fs::remove_file(&path), &path)?;
    let failing = reports
        .iter()
        .filter_map(|report| Some((report, report.found()?)));
    let failing: Vec<_> = failing.collect();
    if failing.is_empty() {
        return Ok(None);
    }
    let names: Vec<(String, String)> = failing
        .iter()
        .map(|(report, _)| {
            let name = format!("{} ({})", report.name, report.target);
            (name, format!("cargo atropos replay {}", report.name))
        })
        .collect();
    let tests: Vec<FailingTest<'_>> = failing
        .iter()
        .zip(&names)
        .map(|((_, found), (name, again))| FailingTest {
            name,
            title: &found.title,
            text: &found.text,
            schedule: &found.schedule,
            trace: &found.trace,
            again: if found.schedule.is_empty() { "" } else { again },
        })
        .collect();
    write_file(&path, &page(&tests))?;
    fs::create_dir_all(&directory)
        .with_context(|| format!("can't make {}", directory.display()))?;
    let mut used: Vec<String> = Vec::new();
    for test in tests.iter().filter(|test| !test.trace.steps.is_empty()) {
        let name = file_name(test.name, &mut used);
        write_file(&directory.join(name), &chrome_trace(test.name, test.trace))?;
    }
    Ok(Some(path))
}

/// Writes the picture of one test and its trace where the user wants them.
pub fn write_one(
    test: &FailingTest<'_>,
    page_file: Option<&Path>,
    trace_file: Option<&Path>,
) -> Result<()> {
    if let Some(path) = page_file {
        write_file(path, &page(std::slice::from_ref(test)))?;
    }
    if let Some(path) = trace_file {
        write_file(path, &chrome_trace(test.name, test.trace))?;
    }
    Ok(())
}

/// A file name that the test's name makes, and no other test's.
fn file_name(test: &str, used: &mut Vec<String>) -> String {
    const LONGEST: usize = 100;
    let letters = test.chars().map(|letter| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => letter,
        _ => '-',
    });
    let stem: String = letters.take(LONGEST).collect();
    let stem = stem.trim_matches('-').to_owned();
    let mut name = format!("{stem}.json");
    let mut number = 2;
    while used.contains(&name) {
        name = format!("{stem}-{number}.json");
        number += 1;
    }
    used.push(name.clone());
    name
}

fn write_file(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("can't write {}", path.display()))
}

fn unless_absent(done: std::io::Result<()>, path: &Path) -> Result<()> {
    match done {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("can't remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_test_has_a_file_name_of_its_own() {
        let mut used = Vec::new();
        let mut name = |test: &str| file_name(test, &mut used);
        assert_eq!(name("a::b (test c)"), "a--b--test-c.json");
        assert_eq!(name("a..b (test c)"), "a--b--test-c-2.json");
        assert!(name(&"x".repeat(900)).len() < 120);
    }
}
