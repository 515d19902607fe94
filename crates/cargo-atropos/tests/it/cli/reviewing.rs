//! `review` in a real terminal: tmux draws it, and types.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::cli::showing::after_a_run;

/// A terminal of its own, on a server of its own.
struct Terminal {
    socket: String,
}

impl Terminal {
    /// None where there is no tmux.
    fn start(name: &str, command: &str, directory: &Path) -> Option<Terminal> {
        let terminal = Terminal {
            socket: format!("atropos-{name}-{}", std::process::id()),
        };
        let size = ["-x", "90", "-y", "24"];
        let directory = directory.to_str().expect("text");
        let started = terminal
            .tmux(
                &[
                    &["new-session", "-d", "-c", directory],
                    &size[..],
                    &[command],
                ]
                .concat(),
            )
            .ok()?;
        assert!(started.status.success(), "{started:?}");
        Some(terminal)
    }

    fn tmux(&self, arguments: &[&str]) -> std::io::Result<std::process::Output> {
        let mut command = Command::new("tmux");
        command
            .args(["-L", &self.socket, "-f", "/dev/null"])
            .args(arguments);
        command.stdin(Stdio::null()).output()
    }

    fn screen(&self) -> String {
        let output = self.tmux(&["capture-pane", "-p"]).expect("tmux is there");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Waits until the screen shows a text: how long that takes depends on the machine, not on us.
    #[track_caller]
    fn shows(&self, text: &str) {
        let start = Instant::now();
        while !self.screen().contains(text) {
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "no {text:?} in\n{}",
                self.screen()
            );
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn type_text(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text])
            .expect("tmux is there");
    }

    fn press(&self, key: &str) {
        self.tmux(&["send-keys", key]).expect("tmux is there");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.tmux(&["kill-server"]);
    }
}

#[test]
fn survivors_are_walked_through_filtered_and_accepted_in_a_terminal() {
    let project = after_a_run();
    let program = env!("CARGO_BIN_EXE_cargo-atropos");
    let command = format!("'{program}' atropos review; echo \"ended with $?\"; sleep 60");
    let Some(terminal) = Terminal::start("review", &command, &project.path()) else {
        eprintln!("tmux is not installed, so the review was not tested in a terminal");
        return;
    };
    terminal.shows("that no test notices");
    terminal.shows("j/k next/previous");
    terminal.press("/");
    terminal.type_text("nothing like it");
    terminal.shows(" 0 of ");
    terminal.press("Escape");
    terminal.shows("j/k next/previous");
    terminal.press("a");
    terminal.type_text("a hint");
    terminal.shows("reason: a hint");
    terminal.press("Enter");
    terminal.shows("accepted in atropos-accepted.toml");
    terminal.press("q");
    terminal.shows("ended with 0");
    let accepted = std::fs::read_to_string(project.path().join("atropos-accepted.toml"));
    assert!(accepted.unwrap().contains("reason = \"a hint\""));
}

#[test]
fn without_a_terminal_another_command_is_named() {
    let answer = after_a_run().atropos(&["review"]);
    let advice =
        "`review` needs a terminal; `cargo atropos report --format text` prints everything";
    answer.is_error(1, advice);
}
