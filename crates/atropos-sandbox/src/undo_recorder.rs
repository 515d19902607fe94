//! Writes down what is about to change outside the directories of a run, so that it is undone after the mutant
//! (`atropos_protocol::undo`).
//!
//! The runtime does the same for calls that go through the C library. What raw system calls and programs without a runtime
//! do is written down here alone. What is written down twice is undone twice, which changes nothing.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use atropos_protocol::undo::Log;

use crate::permissions::Needs;

/// Whose changes are undone, and when.
pub struct UndoSettings {
    /// The board in whose undo log changes are written down.
    pub board: PathBuf,
    /// Gives a number that is another one for each mutant: what was written down for one is undone before the next.
    pub generation: Box<dyn Fn() -> u64 + Send>,
    /// Called before something is changed.
    pub on_change: Box<dyn Fn() + Send>,
}

/// The log of a board, and what was written to it for the mutant that runs.
pub struct UndoRecorder {
    log: Log,
    undone: UndoSettings,
    at: u64,
    kept: HashSet<PathBuf>,
}

impl UndoRecorder {
    pub fn new(undone: UndoSettings) -> UndoRecorder {
        UndoRecorder {
            log: Log::of(&undone.board),
            at: (undone.generation)(),
            undone,
            kept: HashSet::new(),
        }
    }

    /// Another number for each mutant.
    pub fn runs_at_present(&self) -> u64 {
        (self.undone.generation)()
    }

    /// Whether another mutant runs than when this was last asked: what was written down for that one is undone.
    pub fn begins_another(&mut self) -> bool {
        let now = self.runs_at_present();
        let is_another = now != self.at;
        if is_another {
            self.at = now;
            self.kept.clear();
        }
        is_another
    }

    /// Writes down what is there before a call that needs this changes it; the path that can't be brought back otherwise.
    pub fn keep(&mut self, needs: &Needs) -> Result<(), PathBuf> {
        self.begins_another();
        if let Some((from, to)) = needs.moves.first() {
            return self.keep_move(from, to).map_err(|_| from.clone());
        }
        for path in needs.files.iter().chain(&needs.new) {
            if self.kept.contains(path) {
                continue;
            }
            (self.undone.on_change)();
            let is_old = needs.files.contains(path);
            match self.log.keep(path) {
                Ok(()) => drop(self.kept.insert(path.clone())),
                // What the mutant made itself goes with what was written down when it did.
                Err(_) if !is_old => {}
                Err(_) => return Err(path.clone()),
            }
        }
        Ok(())
    }

    fn keep_move(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        // What is elsewhere now has to be written down there again.
        self.kept.clear();
        (self.undone.on_change)();
        if to.symlink_metadata().is_ok() {
            self.log.keep(to)?;
        }
        self.log.moving(from, to)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn what_is_kept_for_one_mutant_is_kept_again_for_the_next() {
        let directory = tempfile::tempdir().unwrap();
        let board = directory.path().join("board");
        let mutant = Arc::new(AtomicU64::new(1));
        let current = Arc::clone(&mutant);
        let generation = Box::new(move || current.load(Ordering::Relaxed));
        let mut undo_recorder = UndoRecorder::new(UndoSettings {
            board: board.clone(),
            generation,
            on_change: Box::new(|| ()),
        });
        let new = directory.path().join("new");
        let old = directory.path().join("old");
        fs::write(&old, "old").unwrap();
        let needs = Needs {
            new: vec![new.clone()],
            files: vec![old.clone()],
            ..Needs::default()
        };
        for number in 1..3 {
            mutant.store(number, Ordering::Relaxed);
            for _ in 0..2 {
                undo_recorder.keep(&needs).unwrap();
                fs::write(&new, "litter").unwrap();
                fs::write(&old, "changed").unwrap();
            }
            Log::of(&board).undo();
            assert!(!new.exists(), "{number}");
            assert_eq!(fs::read_to_string(&old).unwrap(), "old", "{number}");
        }
    }

    #[test]
    fn what_is_moved_is_moved_back() {
        let directory = tempfile::tempdir().unwrap();
        let board = directory.path().join("board");
        let mut undo_recorder = UndoRecorder::new(UndoSettings {
            board: board.clone(),
            generation: Box::new(|| 0),
            on_change: Box::new(|| ()),
        });
        let (from, to) = (directory.path().join("from"), directory.path().join("to"));
        fs::create_dir(&from).unwrap();
        fs::write(from.join("inner"), "old").unwrap();
        let needs = Needs {
            moves: vec![(from.clone(), to.clone())],
            files: vec![from.clone()],
            new: vec![to.clone()],
            ..Needs::default()
        };
        undo_recorder.keep(&needs).unwrap();
        fs::rename(&from, &to).unwrap();
        Log::of(&board).undo();
        assert_eq!(fs::read_to_string(from.join("inner")).unwrap(), "old");
        assert!(!to.exists());
    }
}
