//! A real terminal for tests: tmux draws what the program writes, and types.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A terminal of its own, on a server of its own.
pub struct Terminal {
    socket: String,
}

impl Terminal {
    /// None where there is no tmux.
    pub fn start(name: &str, command: &str, directory: &Path) -> Option<Terminal> {
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

    /// Whether anything on the screen has a colour or is bold.
    pub fn has_colours(&self) -> bool {
        let output = self
            .tmux(&["capture-pane", "-p", "-e"])
            .expect("tmux is there");
        output.stdout.contains(&0x1b)
    }

    pub fn screen(&self) -> String {
        let output = self.tmux(&["capture-pane", "-p"]).expect("tmux is there");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Waits until the screen shows a text: how long that takes depends on the machine, not on us.
    #[track_caller]
    pub fn shows(&self, text: &str) {
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

    pub fn type_text(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text])
            .expect("tmux is there");
    }

    pub fn press(&self, key: &str) {
        self.tmux(&["send-keys", key]).expect("tmux is there");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.tmux(&["kill-server"]);
    }
}
