//! Mutants that would harm the machine are stopped before they do, and nothing is said of what they would have come to.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use atropos_report::verdict::Verdict;

use crate::runs::tree::Tree;

/// A process that mutants would like to kill.
struct Victim(Child);

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Contents, mode, time and number of links of everything there.
fn state(directory: &Path) -> BTreeMap<PathBuf, (Vec<u8>, u32, i64, u64)> {
    let mut found = BTreeMap::new();
    let mut open = vec![directory.to_owned()];
    while let Some(path) = open.pop() {
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let contents = match metadata.is_file() && metadata.len() < 1000 {
                true => fs::read(&path).unwrap(),
                false => metadata.len().to_ne_bytes().to_vec(),
            };
            if metadata.is_dir() {
                open.push(path.clone());
            }
            let rest = (metadata.mode(), metadata.mtime(), metadata.nlink());
            found.insert(path, (contents, rest.0, rest.1, rest.2));
        }
    }
    found
}

/// How many ways to do harm there are, each a mutant.
const WAYS: usize = 21;

/// How mutants are run, and by what.
const MODES: [(&str, &[&str]); 6] = [
    ("forked", &["--way", "fork", "--test", "harm", "--no-doc"]),
    (
        "in batches",
        &["--way", "batch", "--test", "harm", "--no-doc"],
    ),
    ("each", &["--way", "each", "--test", "harm", "--no-doc"]),
    (
        "explored",
        &["--explore", "exhaustive", "--test", "threads", "--no-doc"],
    ),
    ("doctests", &["--", "src/lib.rs"]),
    (
        "programs that tests start",
        &["--test", "programs", "--no-doc"],
    ),
];

#[test]
fn no_way_to_do_harm_succeeds_in_any_run_mode_and_none_is_called_a_kill() {
    let tree = Tree::of("harmful_mutants");
    let old = tree.path().join("old");
    let mut victim = Victim(
        Command::new("sleep")
            .arg("10000")
            // A group that mutants can join.
            .process_group(0)
            .spawn()
            .unwrap(),
    );
    fs::write(old.join("victim"), victim.0.id().to_string()).unwrap();
    let large = fs::File::create(old.join("large")).unwrap();
    large.set_len(70 << 20).unwrap();
    let fifo = Command::new("mkfifo").arg(old.join("fifo")).status();
    assert!(fifo.unwrap().success());
    let before = state(&old);

    let mut bad = Vec::new();
    for (mode, options) in MODES {
        let mut arguments = vec!["--require-sandbox", "-f", "src/lib.rs", "--re", "with true"];
        arguments.extend(options);
        let run = tree.run(&arguments);
        let mutants = &run.outcomes().mutants;
        let asked = mutants
            .iter()
            .filter(|mutant| mutant.info.edit_and_operator().contains("with true"));
        let ways: Vec<_> = asked.collect();
        assert_eq!(ways.len(), WAYS, "{mode}");
        for mutant in ways {
            let note = mutant.note.as_deref().unwrap_or_default();
            // Too many new files are too many resources, unless the machine is so busy that the mutant's time is over before.
            let is_stopped = match mutant.info.function.as_str() {
                "fills_the_disk" => mutant.verdict != Some(Verdict::Survived),
                _ => mutant.verdict == Some(Verdict::Undecided) && note.contains("stopped before"),
            };
            if !is_stopped {
                let verdict = mutant.verdict;
                bad.push(format!(
                    "{mode}: {}: {verdict:?} {note}",
                    mutant.info.function
                ));
            }
        }
        if run.code != 3 {
            bad.push(format!("{mode}: exit code {}\n{}", run.code, run.stderr));
        }
        if victim.0.try_wait().unwrap().is_some() {
            bad.push(format!("{mode}: a foreign process was killed"));
        }
        if state(&old) != before {
            bad.push(format!("{mode}: old files were changed"));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn mutants_that_make_new_files_fail_to_do_harm_or_are_ended_by_others_get_their_verdict() {
    let tree = Tree::with(&[
        (
            "Cargo.toml",
            "[package]\nname = \"makers\"\nedition = \"2024\"\n[workspace]\n",
        ),
        (
            "src/lib.rs",
            "pub fn by_a_program() -> bool { false }
pub fn in_the_temporary_directory() -> bool { false }
pub fn again_and_again() -> bool { false }
pub fn of_nothing() -> bool { false }
pub fn ended_by_another() -> bool { false }
pub fn of_its_own_old_file() -> bool { false }
pub fn of_another_old_file() -> bool { false }
pub fn of_another_by_a_link() -> bool { false }
",
        ),
        ("own", "old"),
        ("other", "old"),
        (
            "tests/makers.rs",
            r#"use std::{fs, path::Path, process::Command};

#[test]
fn a_program_makes_files() {
    assert!(Command::new("true").status().unwrap().success());
    if makers::by_a_program() {
        let script = "mkdir made && echo x > made/file && mv made moved";
        assert!(Command::new("sh").args(["-c", script]).status().unwrap().success());
        assert!(Path::new("moved/file").exists());
    }
}

#[test]
fn a_file_lies_beside_the_directory_for_temporary_files() {
    if makers::in_the_temporary_directory() {
        fs::write(concat!(env!("CARGO_TARGET_TMPDIR"), "/made"), "x").unwrap();
    }
}

#[test]
fn a_directory_is_made_again_and_again() {
    if makers::again_and_again() {
        for _ in 0..1000 {
            let _ = fs::create_dir("src");
        }
    }
}

#[test]
fn what_is_not_there_is_removed() {
    if makers::of_nothing() {
        assert!(fs::remove_file("").is_err() && fs::remove_file("nothing").is_err());
        assert!(fs::rename("nothing", "src").is_err());
    }
}

#[test]
fn an_old_file_is_changed() {
    let by_another_name = concat!(env!("CARGO_MANIFEST_DIR"), "/src/../own");
    fs::write(if makers::of_its_own_old_file() { by_another_name } else { "own" }, "old").unwrap();
    let link = std::env::temp_dir().join("link");
    if makers::of_another_by_a_link() {
        std::os::unix::fs::symlink(concat!(env!("CARGO_MANIFEST_DIR"), "/other"), &link).unwrap();
        fs::write(link, "new").unwrap();
    }
    if makers::of_another_old_file() {
        fs::write("other", "new").unwrap();
    }
}

/// As the system does when memory runs out: who it was is not known afterwards.
#[test]
fn a_process_ends_the_test() {
    if makers::ended_by_another() {
        let _ = Command::new("sh").args(["-c", "kill -9 $PPID"]).status();
        std::thread::sleep(std::time::Duration::from_secs(60));
    }
}
"#,
        ),
    ]);
    for sandbox in ["--require-sandbox", "--no-sandbox"] {
        let run = tree
            .run(&[sandbox, "--no-doc", "--re", "with true"])
            .has_code(2);
        assert_eq!(tree.read("other"), "old", "{sandbox}");
        let survives = |name: &str| (format!("{name}: replace body with true"), "survived");
        let survivors = [
            "by_a_program",
            "in_the_temporary_directory",
            "again_and_again",
            "of_nothing",
            "of_its_own_old_file",
        ];
        let mut expected: Vec<(String, &str)> = survivors.map(survives).into();
        for name in [
            "ended_by_another",
            "of_another_old_file",
            "of_another_by_a_link",
        ] {
            expected.push((format!("{name}: replace body with true"), "undecided"));
        }
        let expected: Vec<(&str, &str)> = expected.iter().map(|(m, v)| (m.as_str(), *v)).collect();
        run.check("src/lib.rs", &expected);
        if sandbox == "--require-sandbox" {
            assert!(!tree.path().join("moved").exists() && !tree.path().join("made").exists());
        }
        if sandbox == "--no-sandbox" {
            // Nobody undoes what the program does that this mutant starts.
            let told = format!("warning: {} appeared", tree.path().join("moved").display());
            run.says(&told);
        }
        let _ = fs::remove_dir_all(tree.path().join("moved"));
        assert!(!tree.path().join("target/tmp/made").exists(), "{sandbox}");
    }
}
