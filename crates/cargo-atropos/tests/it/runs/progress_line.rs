//! The line that says how far a run is, in a real terminal, which tests don't see.

use crate::runs::tree::Tree;
use crate::terminal::Terminal;

const MANIFEST: &str =
    "[package]\nname = \"watched\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
const SOURCE: &str = "\
pub fn product(a: u32, b: u32) -> u32 {
    a * b
}

#[test]
fn products() {
    assert!(product(2, 3) > 0);
}

extern \"C\" {
    fn tcgetattr(descriptor: i32, settings: *mut u8) -> i32;
    fn tcsetattr(descriptor: i32, when: i32, settings: *const u8) -> i32;
}

/// In the background of a terminal, the system would stop it.
#[test]
fn sets_the_terminal_if_there_is_one() {
    let options = std::fs::File::options().read(true).write(true).open(\"/dev/tty\");
    if let Ok(terminal) = options {
        let descriptor = std::os::fd::AsRawFd::as_raw_fd(&terminal);
        let mut settings = [0; 256];
        unsafe { tcgetattr(descriptor, settings.as_mut_ptr()) };
        unsafe { tcsetattr(descriptor, 0, settings.as_ptr()) };
    }
    assert!(product(1, 1) > 0);
}
";

#[test]
fn survivors_stay_above_the_line_and_without_colours_it_is_still_one_line() {
    let tree = Tree::with(&[("Cargo.toml", MANIFEST), ("src/lib.rs", SOURCE)]);
    let program = env!("CARGO_BIN_EXE_cargo-atropos");
    let cache = concat!(env!("CARGO_TARGET_TMPDIR"), "/cache");
    let command = format!(
        "NO_COLOR=1 XDG_CACHE_HOME='{cache}' '{program}' atropos --operators=AOR --no-doc; sleep 60"
    );
    let Some(terminal) = Terminal::start("progress", &command, &tree.path()) else {
        eprintln!("tmux is not installed, so the progress line was not tested in a terminal");
        return;
    };
    terminal.shows("error: exit code 2: ");
    let screen = terminal.screen();
    let survived = screen
        .lines()
        .filter(|line| line.starts_with("survived: src/lib.rs:2:"));
    assert!(survived.count() > 0, "{screen}");
    // While survivors are ranked, verdicts are on the screen.
    let so_far = screen.lines().find(|line| line.starts_with("so far: "));
    assert!(
        so_far.is_some_and(|line| line.ends_with(" survived; now what survivors disturb")),
        "{screen}"
    );
    // Nothing is left of the line, and nothing of it was scrolled.
    for phase in ["Finding", "Building", "Checking", "Running"] {
        assert!(!screen.contains(phase), "{screen}");
    }
    assert!(!terminal.has_colours(), "{screen}");
}
