//! Plain mode: a woven program that is no zygote but was started with a board in its environment.
//!
//! Programs that tests start, doctests and tests without our harness run this way. They act as
//! the mutant in the environment, or note what they reach while the driver records. If the board
//! can't be had they are the original, silently: they may be run by anybody.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use atropos_protocol::{Board, ENV_BOARD, ENV_MUTANT, ENV_ZYGOTE, TestResult, landlock, sys};
use atropos_values::MutantId;

use crate::effects::{self, Policy};
use crate::role::{self, MutantClass, Role};
use crate::{
    crash, entered, heap, inherited, lasting_changes, limits, outside_tests, random, steps,
};

static PLAIN: AtomicBool = AtomicBool::new(false);

/// This process runs in plain mode.
pub fn is_plain() -> bool {
    PLAIN.load(Ordering::Relaxed)
}

/// Run by the loader before `main`.
extern "C" fn begin() {
    let Some(path) = std::env::var_os(ENV_BOARD) else {
        return;
    };
    if let Ok(board) = Board::open(Path::new(&path)) {
        if std::env::var_os(ENV_ZYGOTE).is_some() {
            role::set_board(board);
            return outside_tests::start();
        }
        let mutant = std::env::var(ENV_MUTANT)
            .ok()
            .and_then(|text| text.parse().ok());
        enter(role::set_board(board), mutant);
    }
}

fn enter(board: &'static Board, mutant: Option<MutantId>) {
    let header = board.header();
    match mutant {
        Some(mutant) if board.mutants().any(|known| known == mutant) => {
            landlock::enforce_list(board.path());
            heap::measure();
            limits::apply(board);
            role::become_mutant(MutantClass::of_mutant(board, mutant));
            steps::set_limit(board.step_limit());
        }
        None if header.recording.load(Ordering::Relaxed) != 0 => {
            role::become_recorder();
            steps::report_often();
        }
        _ => return,
    }
    inherited::begin();
    entered::mark_on(board);
    crash::watch_files();
    limits::apply_to_files(board);
    lasting_changes::begin();
    random::seed(header.seed.load(Ordering::Relaxed));
    note_no_files_of_panics();
    role::take_charge(0);
    PLAIN.store(true, Ordering::Relaxed);
    effects::watch(Policy::Note);
}

/// With `RUST_BACKTRACE` the message of a panic names functions, for which the program's own file is read: that is not the
/// program's doing.
fn note_no_files_of_panics() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| lasting_changes::work(|| hook(info))));
}

/// Run by the loader when the program ends in the ordinary way.
extern "C" fn end() {
    if is_plain() && role::role() == Role::Recorder {
        report_steps();
    }
}

/// Tells the board how many steps this process has taken.
pub fn report_steps() {
    match role::board() {
        Some(board) if is_plain() => {
            let most = &board.header().spawned_steps;
            most.fetch_max(steps::taken(), Ordering::Relaxed);
        }
        _ => {}
    }
}

/// Ends a process in plain mode that has run into a limit.
pub fn stop(outcome: TestResult) -> ! {
    if let Some(board) = role::board() {
        note_limit(board, outcome);
    }
    sys::exit_now(101)
}

/// Tells the board that a process other than the test's ran into a limit as this mutant.
pub fn note_limit(board: &Board, outcome: TestResult) {
    if role::role() == Role::Mutant {
        board.note_spawned_limit(role::class().leader_id(), outcome);
    }
}

/// Before the program's own functions of this kind: what they come to counts.
#[used]
#[unsafe(link_section = ".init_array.00001")]
static BEGIN: extern "C" fn() = begin;

#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;
