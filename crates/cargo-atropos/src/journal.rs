//! The journal: every verdict of a test on a mutant, on disk the moment it is known.
//!
//! A run that is killed leaves it behind; the next run of the same build reads it and goes on.
//! A run that came to its end closes it, and the next one starts anew: what tests read at run
//! time may have changed since. One JSON value per line; the first line names the version and the
//! build. A line that was cut short is ignored.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Mutex;

use atropos_protocol::FailureKind;
use atropos_report::communication::CommunicationRecord;
use atropos_values::MutantId;
use serde::{Deserialize, Serialize};

const VERSION: u32 = 1;

#[derive(PartialEq, Eq, Serialize, Deserialize)]
struct JournalHeader {
    journal: u32,
    /// What was built: mutants' numbers mean something only for this build.
    key: String,
}

/// The last line of a run that came to its end.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
struct JournalEnd {
    complete: bool,
}

/// What one test said of one mutant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    pub test: String,
    pub mutant: MutantId,
    pub seconds: f64,
    /// None: the test passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kill: Option<KillEntry>,
    /// Of a test whose schedules were explored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explored: Option<ExploredEntry>,
}

/// What was explored of a test's schedules with a mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExploredEntry {
    pub coverage: String,
    pub schedules: u64,
    /// Schedules were left out, and ordinary runs of the test may see what is left to be seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leaves_open: bool,
    /// The schedule that kills the mutant, and what happens under it; empty if none does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub schedule: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub trace: String,
    /// What threads told each other that those of the original never did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<CommunicationRecord>,
}

/// How a test noticed a mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KillEntry {
    #[serde(with = "atropos_report::serde_words::failure_kind")]
    pub how: FailureKind,
    pub message: String,
    pub location: String,
}

/// A journal that is being written.
pub struct Journal {
    file: Mutex<File>,
}

impl Journal {
    /// Opens the journal of a build and gives what an earlier run of the same build left in it.
    /// The journal of another build, or of a run that came to its end, is started anew.
    pub fn open(path: &Path, key: &str) -> io::Result<(Journal, Vec<JournalEntry>)> {
        let head = JournalHeader {
            journal: VERSION,
            key: key.to_owned(),
        };
        let text = match fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let mut lines = text.lines();
        let found = lines
            .next()
            .and_then(|line| serde_json::from_str(line).ok());
        let last = text.lines().next_back();
        let ended = last.is_some_and(|line| serde_json::from_str::<JournalEnd>(line).is_ok());
        let same = found.as_ref() == Some(&head) && !ended;
        let entries: Vec<JournalEntry> = if same {
            lines
                .filter_map(|line| serde_json::from_str(line).ok())
                .collect()
        } else {
            Vec::new()
        };
        let mut file = if same {
            File::options().append(true).open(path)?
        } else {
            let mut file = File::create(path)?;
            writeln!(file, "{}", serde_json::to_string(&head)?)?;
            file
        };
        if same && !text.ends_with('\n') {
            file.write_all(b"\n")?;
        }
        let file = Mutex::new(file);
        Ok((Journal { file }, entries))
    }

    /// Every mutant has its verdict: nothing is left to go on with.
    pub fn close(&self) -> io::Result<()> {
        let end = serde_json::to_string(&JournalEnd { complete: true })?;
        let mut file = self.file.lock().expect("no writer panics");
        writeln!(file, "{end}")
    }

    /// Appends entries in one write.
    pub fn append(&self, entries: &[JournalEntry]) -> io::Result<()> {
        let mut text = String::new();
        for entry in entries {
            text.push_str(&serde_json::to_string(entry)?);
            text.push('\n');
        }
        let mut file = self.file.lock().expect("no writer panics");
        file.write_all(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(mutant: MutantId) -> JournalEntry {
        JournalEntry {
            test: "lib::a".into(),
            mutant,
            seconds: 0.5,
            kill: mutant.0.is_multiple_of(2).then(|| KillEntry {
                how: FailureKind::Panicked,
                message: "no\nway".into(),
                location: "src/lib.rs:1:1".into(),
            }),
            explored: None,
        }
    }

    #[test]
    fn what_was_appended_is_there_after_a_cut() {
        let path = std::env::temp_dir().join(format!("atropos-journal-{}", std::process::id()));
        let _ = fs::remove_file(&path);
        let (journal, known) = Journal::open(&path, "k").unwrap();
        assert_eq!(known, []);
        journal
            .append(&[entry(MutantId(1)), entry(MutantId(2))])
            .unwrap();
        drop(journal);
        let mut text = fs::read_to_string(&path).unwrap();
        text.push_str("{\"test\":\"lib::a\",\"mut");
        fs::write(&path, text).unwrap();

        let (journal, known) = Journal::open(&path, "k").unwrap();
        assert_eq!(known, [entry(MutantId(1)), entry(MutantId(2))]);
        journal.append(&[entry(MutantId(3))]).unwrap();
        let (_, known) = Journal::open(&path, "k").unwrap();
        assert_eq!(
            known,
            [entry(MutantId(1)), entry(MutantId(2)), entry(MutantId(3))]
        );

        let (_, known) = Journal::open(&path, "another build").unwrap();
        assert_eq!(known, []);
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_run_that_came_to_its_end_is_not_gone_on_with() {
        let path = std::env::temp_dir().join(format!("atropos-ended-{}", std::process::id()));
        let _ = fs::remove_file(&path);
        let (journal, _) = Journal::open(&path, "k").unwrap();
        journal.append(&[entry(MutantId(1))]).unwrap();
        journal.close().unwrap();
        let (journal, known) = Journal::open(&path, "k").unwrap();
        assert_eq!(known, []);
        journal.append(&[entry(MutantId(2))]).unwrap();
        let (_, known) = Journal::open(&path, "k").unwrap();
        assert_eq!(known, [entry(MutantId(2))]);
        fs::remove_file(path).unwrap();
    }
}
