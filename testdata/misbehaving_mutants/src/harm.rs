//! Functions that do harm if `really`.

use std::fs;
use std::hint::black_box;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use std::{env, process, thread};

unsafe extern "C" {
    fn close(descriptor: i32) -> i32;
    fn kill(process: i32, signal: i32) -> i32;
}

pub fn loop_for_ever(really: bool) -> u64 {
    let mut turns = 0;
    while really {
        turns = black_box(turns + 1);
    }
    turns
}

pub fn recurse(depth: u64) -> u64 {
    let frame = black_box([depth; 512]);
    if depth < 3 { 0 } else { recurse(depth - 1) + frame[7] - depth }
}

pub fn eat_memory(really: bool) -> usize {
    let mut hoard = Vec::new();
    while really {
        hoard.push(vec![1u8; 1 << 20]);
    }
    hoard.len()
}

pub fn fill_the_disk(really: bool, path: &Path) -> io::Result<()> {
    let mut file = fs::File::create(path)?;
    while really {
        file.write_all(&[7; 1 << 20])?;
    }
    Ok(())
}

/// Larger than mutants may write, and never on the disk in whole.
pub fn reserve(path: &Path, really: bool) -> io::Result<u64> {
    let file = fs::File::create(path)?;
    file.set_len(if really { 1 << 30 } else { 0 })?;
    Ok(file.metadata()?.len())
}

pub fn start_processes(really: bool) {
    while really {
        Command::new("sleep").arg("3600").spawn().unwrap();
    }
}

pub fn leave(really: bool) {
    if really {
        let end = process::exit;
        end(0);
    }
}

pub fn abort(really: bool) {
    if really {
        let end = process::abort;
        end();
    }
}

pub fn write_to_nowhere(really: bool) {
    if really {
        unsafe { black_box(std::ptr::null_mut::<u32>()).write_volatile(1) };
    }
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("while dropping");
    }
}

pub fn panic_twice(really: bool) {
    if really {
        let _bomb = Bomb;
        panic!("the first");
    }
}

pub fn panic_in_drop(really: bool) {
    if really {
        let bomb = Bomb;
        drop(bomb);
    }
}

pub fn delete(really: bool, directory: &Path) {
    if really {
        fs::remove_dir_all(directory).unwrap();
    }
}

pub fn delete_what_others_need(really: bool) {
    if really {
        fs::remove_file("Cargo.toml").unwrap();
    }
}

/// With a signal that is ignored by those who don't listen.
pub fn signal_to_all(really: bool) {
    const SIGURG: i32 = 23;
    if really {
        unsafe { kill(-1, SIGURG) };
    }
}

/// Like proptest, which goes on where it can't write down a failure.
pub fn write_down_how_it_failed(really: bool) {
    if really {
        let _ = fs::write("proptest-regressions/harm.txt", "seed");
        panic!("as is written down");
    }
}

pub fn close_descriptors(really: bool) {
    if really {
        for descriptor in 0..64 {
            unsafe { close(descriptor) };
        }
    }
}

pub fn talk(really: bool) {
    if really {
        let line = [b'x'; 1024];
        for _ in 0..4096 {
            let _ = std::io::stdout().write_all(&line);
        }
    }
}

pub fn leave_a_child(really: bool) {
    if really {
        let program = format!("exec sleep 600 # {}", env::var("SCRATCH").unwrap());
        Command::new("sh").args(["-c", &program]).spawn().unwrap();
    }
}

pub fn leave_a_file(really: bool) {
    let place = if really { ".".into() } else { env::temp_dir() };
    let mut touch = Command::new("touch");
    assert!(touch.arg("stray.txt").current_dir(place).status().unwrap().success());
}

pub fn leave_a_thread(really: bool) {
    if really {
        thread::spawn(|| loop {
            thread::sleep(Duration::from_millis(1));
        });
    }
}

pub fn wander(really: bool) {
    if really {
        env::set_current_dir("/").unwrap();
        unsafe { env::set_var("HOME", "/nowhere") };
    }
}

/// Somebody else keeps the count: what mutants do to files is undone.
fn is_first_time(name: &str) -> bool {
    let place = Path::new(&env::var("SCRATCH").unwrap()).join("counter");
    let Ok(counter) = fs::read_to_string(place) else {
        return false;
    };
    let mut counter = UnixStream::connect(counter).unwrap();
    counter.write_all(name.as_bytes()).unwrap();
    counter.shutdown(Shutdown::Write).unwrap();
    let mut answer = String::new();
    counter.read_to_string(&mut answer).unwrap();
    answer == "first"
}

/// Late for the first time only, like a test on a machine that is busy for a while.
pub fn come_late(really: bool) {
    if really {
        let is_late = is_first_time("late");
        assert!(!is_late, "late");
    }
}

/// Fails for the first time only, like a test on a disk that is full for a while.
pub fn lack_space(really: bool) -> io::Result<()> {
    if really {
        const NO_SPACE: i32 = 28;
        if is_first_time("full") {
            return Err(io::Error::from_raw_os_error(NO_SPACE));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository around them would change what some programs do.
    #[test]
    fn temporary_files_lie_outside_of_the_package() {
        assert!(!env::temp_dir().starts_with(env!("CARGO_MANIFEST_DIR")));
    }

    #[test]
    fn nobody_is_late() {
        let start = std::time::Instant::now();
        // Mutants may ask only where the original does.
        is_first_time("in time");
        come_late(false);
        let _ = start.elapsed();
    }

    #[test]
    fn there_is_space() {
        is_first_time("space");
        lack_space(false).unwrap();
    }

    #[test]
    fn loops_end() {
        assert_eq!(loop_for_ever(false), 0);
    }

    #[test]
    fn recursion_ends() {
        assert_eq!(recurse(5), 0);
    }

    #[test]
    fn memory_suffices() {
        assert_eq!(eat_memory(false), 0);
    }

    #[test]
    fn the_disk_suffices() {
        let path = env::temp_dir().join("misbehaving-mutants-filled");
        fill_the_disk(false, &path).unwrap();
    }

    #[test]
    fn large_files_may_be_reserved() {
        let path = env::temp_dir().join("misbehaving-mutants-reserved");
        assert_ne!(reserve(&path, true).unwrap(), 7);
    }

    #[test]
    fn no_process_is_started() {
        start_processes(false);
    }

    #[test]
    fn nobody_is_signalled() {
        signal_to_all(false);
    }

    #[test]
    fn nobody_leaves() {
        leave(false);
    }

    #[test]
    fn nobody_aborts() {
        abort(false);
    }

    #[test]
    fn nothing_is_written_to_nowhere() {
        write_to_nowhere(false);
    }

    #[test]
    fn nobody_panics() {
        panic_twice(false);
        panic_in_drop(false);
    }

    #[test]
    fn files_stay() {
        let scratch = env::var("SCRATCH").unwrap();
        let directory = Path::new(&scratch).join(format!("files-{}", process::id()));
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join("file"), "text").unwrap();
        delete(false, &directory);
        assert_eq!(fs::read_to_string(directory.join("file")).unwrap(), "text");
        fs::remove_dir_all(&directory).unwrap();
    }

    #[test]
    fn files_of_others_stay() {
        delete_what_others_need(false);
    }

    #[test]
    fn nothing_fails_that_is_to_be_written_down() {
        write_down_how_it_failed(false);
    }

    /// Writes down how often it ran.
    #[test]
    fn a_stranger_works() {
        let runs = Path::new(&env::var("SCRATCH").unwrap()).join("strangers");
        let program = format!("echo once >> '{}'", runs.display());
        assert!(Command::new("sh").args(["-c", &program]).status().unwrap().success());
    }

    #[test]
    fn descriptors_stay() {
        close_descriptors(false);
        println!("still here");
    }

    #[test]
    fn nobody_talks() {
        talk(false);
    }

    #[test]
    fn no_child_is_left() {
        leave_a_child(false);
    }

    #[test]
    fn programs_are_told_where_to_work() {
        for program in ["touch", "rm"] {
            assert!(Command::new(program).arg("gone.txt").status().unwrap().success());
        }
        leave_a_file(false);
    }

    #[test]
    fn no_thread_is_left() {
        leave_a_thread(false);
    }

    #[test]
    fn nobody_wanders() {
        wander(false);
    }

    #[test]
    fn the_world_is_as_it_was() {
        assert!(Path::new("src/harm.rs").is_file());
        assert_ne!(env::var("HOME").as_deref(), Ok("/nowhere"));
        wander(false);
    }
}
