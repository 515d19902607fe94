//! The log of a run, `atropos.log` in the output directory: one line per thing done, each with the
//! seconds since the run began.
//!
//! The driver begins it; compiler wrappers are told where it is by a variable and add their lines.
//! Everything here is best effort: a full disk must not stop a run.

use std::env;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::environment;

/// The name of the file within the output directory.
const FILE_NAME: &str = "atropos.log";

static LOG: OnceLock<Option<Log>> = OnceLock::new();

/// Where a run writes what it does.
struct Log {
    path: PathBuf,
    began: Duration,
}

/// Begins the log of this run anew.
pub fn begin(output: &Path) {
    let log = Log {
        path: output.join(FILE_NAME),
        began: now(),
    };
    let _ = File::create(&log.path);
    // There is one run per process.
    let _ = LOG.set(Some(log));
}

/// What wrappers need in [`environment::LOG`], if there is a log.
pub fn for_wrappers() -> Option<String> {
    let log = current()?;
    Some(format!("{}:{}", log.began.as_millis(), log.path.display()))
}

/// Adds a line.
pub fn line(text: &str) {
    let Some(log) = current() else {
        return;
    };
    let seconds = now().saturating_sub(log.began).as_secs_f64();
    if let Ok(mut file) = File::options().append(true).open(&log.path) {
        // One write, because others write too.
        let _ = file.write_all(format!("{seconds:9.2} s  {text}\n").as_bytes());
    }
}

fn current() -> Option<&'static Log> {
    LOG.get_or_init(|| parse(&env::var(environment::LOG).ok()?))
        .as_ref()
}

fn parse(variable: &str) -> Option<Log> {
    let (began, path) = variable.split_once(':')?;
    Some(Log {
        path: path.into(),
        began: Duration::from_millis(began.parse().ok()?),
    })
}

fn now() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrappers_read_what_the_driver_tells_them() {
        let log = parse("1700000000123:/a b/c:d/atropos.log").unwrap();
        assert_eq!(log.path, Path::new("/a b/c:d/atropos.log"));
        assert_eq!(log.began.as_millis(), 1_700_000_000_123);
        assert!(parse("here").is_none());
        assert!(parse("now:here").is_none());
    }
}
