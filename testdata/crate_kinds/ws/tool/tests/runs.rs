//! Runs the package's own program, and looks at the process it is in.

use std::process::Command;
use std::sync::mpsc;
use std::{env, fs, thread};

fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tool")).args(arguments).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn the_program_decorates() {
    assert_eq!(run(&["3", "4"]), (Some(0), "121\n".to_owned()));
}

#[test]
fn the_program_fails_with_the_right_code() {
    assert_eq!(run(&["3"]).0, Some(3));
    assert_eq!(run(&["3", "four"]).0, Some(4));
}

#[test]
fn a_test_knows_its_own_program() {
    let program = env::current_exe().unwrap();
    assert!(program.file_name().unwrap().to_str().unwrap().starts_with("runs-"));
    assert!(program.is_file());
}

#[test]
fn temporary_files_can_be_written() {
    let place = env::temp_dir().join(format!("atropos-tool-{}", std::process::id()));
    fs::write(&place, "3 5").unwrap();
    let words: Vec<String> =
        fs::read_to_string(&place).unwrap().split(' ').map(str::to_owned).collect();
    fs::remove_file(&place).unwrap();
    assert_eq!(tool::parse(&words), Ok(15));
}

#[test]
fn threads_can_be_used() {
    let (sender, receiver) = mpsc::channel();
    let workers: Vec<_> = (1..4u32)
        .map(|number| {
            let sender = sender.clone();
            thread::spawn(move || sender.send(shapes::perimeter(number, 1)).unwrap())
        })
        .collect();
    for worker in workers {
        worker.join().unwrap();
    }
    drop(sender);
    assert_eq!(receiver.iter().sum::<u32>(), 9);
}
