//! `report`: reports of the last run, made again; and what is said of options that make no sense.

use std::fs;

use serde_json::Value;

use crate::cli::project::Project;
use crate::cli::showing::after_a_run;

fn written(project: &Project, name: &str) -> String {
    fs::read_to_string(project.path().join(name)).unwrap_or_else(|_| panic!("no {name}"))
}

#[test]
fn the_page_is_made_again_from_what_was_kept() {
    let project = after_a_run();
    let answer = project.atropos(&["report"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert_eq!(answer.stdout, "wrote target/atropos/report.html\n");
    let page = written(&project, "target/atropos/report.html");
    assert!(
        page.contains("<title>33.3 % · Mutants of bank</title>"),
        "{page}"
    );
    assert!(page.contains("<del>balance <b>+</b> amount</del><ins>balance <b>-</b> amount</ins>"));
}

#[test]
fn every_format_can_go_to_a_file_or_to_the_output() {
    let project = after_a_run();
    for (format, beginning) in [
        ("html", "<!doctype html>"),
        ("stryker", "{\"schemaVersion\":\"2\","),
        ("sarif", "{\"$schema\":"),
        (
            "annotations",
            "::warning file=src/lib.rs,line=4,col=7,title=2 mutants survived::",
        ),
        ("markdown", "## Mutants\n"),
        (
            "junit",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites ",
        ),
        (
            "gitlab",
            "[\n  {\n    \"description\": \"No test notices this change: ",
        ),
        ("text", "Score: "),
        ("json", "{\n  \"schema_version\": 1,"),
        ("cargo", "{\"manifest_path\":"),
    ] {
        let printed = project.atropos(&["report", "--format", format, "-o", "-"]);
        assert_eq!((printed.code, printed.stderr.as_str()), (0, ""));
        assert!(
            printed.stdout.starts_with(beginning),
            "{format}: {printed:?}"
        );
        let answer = project.atropos(&["report", "--format", format, "-o", "here"]);
        assert_eq!(answer.stdout, "wrote here\n", "{format}");
        assert_eq!(written(&project, "here"), printed.stdout, "{format}");
        let usual = project.atropos(&["report", "--format", format]);
        let on_output = ["annotations", "markdown", "text", "json", "cargo"].contains(&format);
        assert_eq!(usual.stdout == printed.stdout, on_output, "{format}");
    }
    for name in ["report.stryker.json", "report.sarif"] {
        let text = written(&project, &format!("target/atropos/{name}"));
        serde_json::from_str::<Value>(&text).unwrap();
    }
}

#[test]
fn without_a_run_there_is_no_report() {
    let project = Project::bank();
    let missing = |directory: &str| {
        let path = project.path().join(directory).join("outcomes.json");
        format!(
            "there is no run to report (no `{}`); start one with `cargo atropos`",
            path.display()
        )
    };
    let usual = missing("target/atropos");
    project.atropos(&["report"]).is_error(1, &usual);
    let elsewhere = missing("elsewhere");
    project
        .atropos(&["report", "--from", "elsewhere"])
        .is_error(1, &elsewhere);
    project.write(".cargo/atropos.toml", "output = 'elsewhere'\n");
    project.atropos(&["report"]).is_error(1, &elsewhere);
}

#[test]
fn nothing_is_marked_in_sources_that_have_changed() {
    let project = after_a_run();
    let text = written(&project, "src/account.rs");
    let moved = "src/account.rs has changed since the run, so its mutants would be marked at wrong places; run `cargo \
                 atropos` again";
    let check = |project: &Project| {
        for format in ["html", "stryker", "sarif", "annotations"] {
            let answer = project.atropos(&["report", "--format", format]);
            answer.is_error(1, moved);
        }
    };
    project.write("src/account.rs", format!("\n{text}"));
    check(&project);
    project.write("src/account.rs", b"\xff\xfe");
    check(&project);
    fs::remove_file(project.path().join("src/account.rs")).unwrap();
    // `src/lib.rs` names the file, but nothing is read beyond it.
    check(&project);
    project.write("src/lib.rs", "");
    let both = "src/account.rs, src/lib.rs have changed since the run, so their mutants would be marked at wrong places; \
                run `cargo atropos` again";
    project.atropos(&["report"]).is_error(1, both);
    assert!(!project.path().join("target/atropos/report.html").exists());
}

#[test]
fn formats_that_do_not_exist_or_go_together_are_refused() {
    let project = after_a_run();
    project.atropos(&["--report", "none,html"]).is_error(
        1,
        "`--report none` means no report, so it can't stand beside others",
    );
    let answer = project.atropos(&["--report", "pdf"]);
    assert_eq!(answer.code, 1);
    assert!(
        answer.stderr.contains("invalid value 'pdf' for '--report"),
        "{answer:?}"
    );
    let answer = project.atropos(&["report", "--format", "pdf"]);
    assert!(
        answer
            .stderr
            .contains("[possible values: html, stryker, sarif"),
        "{answer:?}"
    );
    project.write(
        ".cargo/atropos.toml",
        "report = ['pdf']\nannotations = 'gitlab'\n",
    );
    project.atropos(&["list"]).is_error(
        1,
        ".cargo/atropos.toml:1: bad value `pdf` for `report`: invalid variant: pdf\n\
         .cargo/atropos.toml:2: bad value `gitlab` for `annotations`: invalid variant: gitlab",
    );
}
