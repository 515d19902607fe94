//! Archives: run in parts where there is neither cargo nor the tree, joined without either, and refused where they can't be
//! run.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use atropos_report::outcomes::Outcomes;
use atropos_report::verdict::Verdict;
use serde_json::Value;

use super::tree::{Run, Tree, verdict};

/// A package whose mutants are killed by a test that reads a file of the tree, one that starts a program of the package, and
/// a doctest.
const FILES: [(&str, &str); 6] = [
    (
        "ws/Cargo.toml",
        "[package]\nname = \"parts\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    ),
    (
        "ws/src/lib.rs",
        "/// Twice.\n///\n/// ```\n/// assert_eq!(parts::twice(4), 8);\n/// ```\npub fn twice(n: u32) -> u32 {\n    n * 2\n}\n\n\
         pub fn sum(text: &str) -> u32 {\n    let mut sum = 0;\n    for line in text.lines() {\n        sum += line.parse::<u32>().unwrap_or(0);\n    }\n    sum\n}\n\n\
         pub fn weak(n: u32) -> u32 {\n    n + 1\n}\n\npub fn alone(n: u32) -> u32 {\n    n + 2\n}\n",
    ),
    (
        "ws/src/main.rs",
        "fn answer() -> u32 {\n    6 + 7\n}\n\nfn main() {\n    println!(\"{}\", answer());\n}\n",
    ),
    (
        "ws/tests/files.rs",
        "#[test]\nfn reads() {\n    let whole = concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/data/numbers\");\n    \
         let one = std::fs::read_to_string(whole).unwrap();\n    \
         let other = std::fs::read_to_string(\"data/numbers\").unwrap();\n    \
         let runtime = std::env::var(\"CARGO_MANIFEST_DIR\").unwrap();\n    \
         assert_eq!(runtime, env!(\"CARGO_MANIFEST_DIR\"));\n    \
         assert_eq!(parts::sum(&one), 9);\n    assert_eq!(parts::sum(&other), 9);\n    parts::weak(3);\n}\n",
    ),
    (
        "ws/tests/program.rs",
        "#[test]\nfn starts() {\n    let output = std::process::Command::new(env!(\"CARGO_BIN_EXE_parts\")).output().unwrap();\n    \
         assert_eq!(output.stdout, b\"13\\n\");\n}\n",
    ),
    ("ws/data/numbers", "4\n5\n"),
];

/// A tree, and the archive that was made of it.
struct Packed {
    tree: Tree,
    whole: BTreeMap<String, String>,
}

impl Packed {
    /// Runs all, makes an archive, and moves the tree away.
    fn make() -> Packed {
        let tree = Tree::with(&FILES);
        let part = tree.path().join("whole");
        let run = ["-d", "ws", "-o", "whole"];
        assert_eq!(tree.run(&run).code, 2);
        let whole = verdicts(&part);
        let made = tree.run(&["archive", "-d", "ws", "-o", "run.tar.zst"]);
        let path = tree.path().join("run.tar.zst: ");
        made.has_code(0).says(&path.to_string_lossy());
        fs::create_dir(tree.path().join("small")).expect("a directory");
        let again = ["archive", "-d", "ws", "-o", "small/run.tar.zst"];
        assert_eq!(on_small_disk(&tree, &again), "");
        fs::rename(tree.path().join("ws"), tree.path().join("away")).expect("it can be moved");
        fs::create_dir(tree.path().join("nothing")).expect("a directory");
        Packed { tree, whole }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.tree.path().join(name)
    }

    /// Runs the command where there is no cargo.
    fn run(&self, arguments: &[&str]) -> Run {
        let nothing = self.file("nothing");
        let nothing = nothing.to_str().expect("text");
        let mut command = self.tree.command(arguments);
        for name in ["CARGO", "RUSTC", "CARGO_HOME", "RUSTUP_HOME"] {
            command.env_remove(name);
        }
        command.env("PATH", nothing);
        self.tree.finish(self.tree.start_command(command))
    }

    fn shard(&self, archive: &str, shard: &str, output: &str) -> Run {
        self.run(&["run", "--archive", archive, "--shard", shard, "-o", output])
    }
}

fn verdicts(directory: &Path) -> BTreeMap<String, String> {
    let outcomes = Outcomes::read(directory).expect("outcomes");
    let records = outcomes.mutants.iter();
    records
        .map(|record| (record.info.name(), verdict(record)))
        .collect()
}

#[test]
fn shards_of_an_archive_need_neither_tree_nor_cargo_and_say_what_a_run_says() {
    let packed = Packed::make();
    let killed = |name: &str| {
        let mut verdicts = packed.whole.iter();
        let (name, verdict) = verdicts
            .find(|(found, _)| found.contains(name))
            .unwrap_or_else(|| panic!("no {name}: {:?}", packed.whole));
        assert!(verdict.starts_with("killed"), "{name}: {verdict}");
    };
    killed("replace * with + in fn twice");
    killed("replace + with - in fn answer");

    let mut seen = BTreeMap::new();
    for index in 0..3 {
        let name = format!("part-{index}");
        let run = packed.shard("run.tar.zst", &format!("{index}/3"), &name);
        assert!([0, 2].contains(&run.code), "{}\n{}", run.stdout, run.stderr);
        let part = verdicts(&packed.file(&name));
        let shard = format!("{index}/3");
        let list = ["list", "--archive", "run.tar.zst", "--shard", &shard];
        let listed = packed.run(&list).has_code(0).stdout;
        assert_eq!(listed.lines().count(), part.len(), "{listed}");
        assert!(!part.is_empty());
        for (name, verdict) in part {
            assert_eq!(seen.insert(name, verdict), None);
        }
        assert!(!packed.file(&name).join("unpacked").exists());
    }
    assert_eq!(seen, packed.whole);
    // Nothing is left where the tree was.
    assert!(!packed.file("ws").exists());

    let merge = ["merge", "--archive", "run.tar.zst", "-o", "merged"];
    let parts = ["part-2", "part-0", "part-1", "part-0"];
    let merged = packed.run(&[&merge[..], &parts].concat()).has_code(2);
    merged.says("note: `part-0` and `part-0` are the same");
    assert_eq!(verdicts(&packed.file("merged")), packed.whole);
    let page = fs::read_to_string(packed.file("merged/report.html")).expect("a page");
    assert!(page.contains("parts::twice(4)"), "sources are shown");
    let joined = Outcomes::read(&packed.file("merged")).expect("outcomes");
    let survived = joined.mutants.iter();
    let mut survived = survived.filter(|record| record.verdict == Some(Verdict::Survived));
    assert!(survived.all(|record| record.rank.is_some()));

    let missing = [&merge[..], &["part-0", "part-2"]].concat();
    let missing = packed.run(&missing).has_code(5);
    assert!(
        missing.stderr.contains("1 shard missing: 1/3"),
        "{}",
        missing.stderr
    );
    is_refused(&packed);
    let unpack = ["run", "--archive", "run.tar.zst", "-o", "small/part"];
    let left = on_small_disk(&packed.tree, &unpack);
    assert_eq!(left, "part\n");
    is_of_another_archive(&packed, &merge);
}

/// What is no archive, or not one for this program, is told before anything is written.
fn is_refused(packed: &Packed) {
    let whole = fs::read(packed.file("run.tar.zst")).expect("the archive");
    let refused = |bytes: &[u8], says: &str| {
        fs::write(packed.file("bad.zst"), bytes).expect("a file");
        let run = packed.shard("bad.zst", "0/3", "refused").has_code(1);
        assert!(run.stderr.contains(says), "{says}\n{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        let left = packed.file("refused");
        assert!(!left.join("unpacked").exists() && !left.join("outcomes.json").exists());
    };
    for kept in [8, 100, whole.len() / 2, whole.len() - 1] {
        refused(&whole[..kept], "is cut short or damaged");
    }
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 0x55;
    refused(&damaged, "is cut short or damaged");
    refused(b"", "is no archive of");
    refused(b"something else", "is no archive of");
    refused(&compressed(&[("other", b"{}")]), "is no archive of");
    refused(
        &with_header(&whole, |header| header["format"] = 99.into()),
        "in format 99",
    );
    let other = with_header(&whole, |header| header["tool"]["version"] = "9.9.9".into());
    refused(&other, "run it with the program that made it");
    let other = with_header(&whole, |header| header["runtime"] = "0123".into());
    refused(&other, "run it with the program that made it");
    let run = packed.shard("none.zst", "0/3", "refused").has_code(1);
    assert!(
        run.stderr.contains("can't read the archive `none.zst`"),
        "{}",
        run.stderr
    );
    let given = ["run", "--archive", "run.tar.zst", "--budget", "5"];
    assert!(
        packed
            .run(&given)
            .has_code(1)
            .stderr
            .contains("`--budget` was decided on")
    );
}

/// Runs the command with a disk of 200 kB at `small`, which is too little, and gives what is left there.
fn on_small_disk(tree: &Tree, arguments: &[&str]) -> String {
    let script =
        "mount -t tmpfs -o size=200k none small && \"$@\"; code=$?; ls -A small; exit $code";
    let inner = tree.command(arguments);
    let mut command = Command::new("unshare");
    command
        .args(["-rm", "sh", "-c", script, "sh"])
        .arg(inner.get_program())
        .args(inner.get_args())
        .current_dir(tree.path());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let output = command.output().expect("it starts");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{stdout}{stderr}");
    assert!(stderr.contains("No space left on device"), "{stderr}");
    stdout
}

/// Shards of another archive are other shards.
fn is_of_another_archive(packed: &Packed, merge: &[&str]) {
    let path = packed.file("part-1/outcomes.json");
    let text = fs::read_to_string(&path).expect("outcomes");
    let mut outcomes: Value = serde_json::from_str(&text).expect("JSON");
    outcomes["options"]["archive"] = "0123".into();
    fs::write(&path, outcomes.to_string()).expect("it can be written");
    let run = packed
        .run(&[merge, &["part-0", "part-1"]].concat())
        .has_code(1);
    assert!(
        run.stderr.contains("`part-1` is no shard of the archive"),
        "{}",
        run.stderr
    );
    let beside = ["merge", "-d", "away", "part-0", "part-1", "-o", "merged"];
    let run = packed.tree.run(&beside).has_code(1);
    let says = "`part-1` is of another archive than `part-0`";
    assert!(run.stderr.contains(says), "{}", run.stderr);
}

fn compressed(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, bytes) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, *bytes).expect("memory");
    }
    let tar = tar.into_inner().expect("memory");
    zstd::encode_all(&*tar, 1).expect("memory")
}

/// The archive with another header.
fn with_header(archive: &[u8], change: impl Fn(&mut Value)) -> Vec<u8> {
    const HEADER: &str = "atropos-archive.json";
    let mut reader = tar::Archive::new(zstd::Decoder::new(archive).expect("an archive"));
    let mut entries: Vec<(String, Vec<u8>)> = Vec::new();
    for entry in reader.entries().expect("entries").take(2) {
        let mut entry = entry.expect("an entry");
        let name = entry.path().expect("a name").display().to_string();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("its text");
        if name == HEADER {
            let mut header: Value = serde_json::from_slice(&bytes).expect("JSON");
            change(&mut header);
            bytes = header.to_string().into_bytes();
        }
        entries.push((name, bytes));
    }
    let entries: Vec<(&str, &[u8])> = entries
        .iter()
        .map(|(name, bytes)| (name.as_str(), &**bytes))
        .collect();
    compressed(&entries)
}
