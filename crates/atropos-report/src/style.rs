//! The colours of everything that is printed, in one place. Texts are always made with colours; the
//! writer takes them out where they are not wanted.

use anstyle::{AnsiColor, Style};

use crate::verdict::Verdict;

pub const HEADING: Style = Style::new().bold();
pub const PLACE: Style = Style::new().bold();
pub const FAINT: Style = AnsiColor::BrightBlack.on_default();
pub const CARET: Style = AnsiColor::Yellow.on_default().bold();
pub const ADDED: Style = AnsiColor::Green.on_default();
pub const REMOVED: Style = AnsiColor::Red.on_default();
pub const HUNK: Style = AnsiColor::Cyan.on_default();
pub const CODE: Style = AnsiColor::Cyan.on_default().bold();
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub const ERROR: Style = AnsiColor::Red.on_default().bold();

/// Green for what is well, red for what tests should have noticed.
pub fn of_verdict(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Killed(_) => AnsiColor::Green.on_default(),
        Verdict::Survived => AnsiColor::Red.on_default().bold(),
        Verdict::Uninfected | Verdict::Unreached | Verdict::Undecided => {
            AnsiColor::Yellow.on_default()
        }
        Verdict::Unviable | Verdict::NotBuilt | Verdict::Skipped | Verdict::Accepted => FAINT,
    }
}

/// `text` in a style.
pub fn styled(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}
