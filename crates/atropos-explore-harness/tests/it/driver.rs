//! The driver's half: starts this program again with a request, and reads its responses.

use std::io::Read as _;
use std::os::fd::AsRawFd as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use atropos_protocol::exploration::{
    ENV_ANSWERS, ENV_ORDER, Explored, MutantResult, Request, RequestedAction, Response,
};
use atropos_protocol::sys;

/// A request about the test of this name, to be completed.
pub fn request(action: RequestedAction, test: &str) -> Request {
    let is_meant =
        |subject: &&&atropos_explore_harness::TestDescAndFn| subject.name().ends_with(test);
    let test = crate::SUBJECTS
        .iter()
        .position(|subject| is_meant(&subject))
        .expect("a subject of this name");
    Request {
        action,
        test,
        ..Request::default()
    }
}

/// What the harness responds to a request.
pub fn ask(request: &Request) -> Vec<Response> {
    ask_in_words(&request.to_text())
}

/// The same, by the text of the request.
pub fn ask_in_words(request: &str) -> Vec<Response> {
    let number = sys::pid();
    let place = std::env::temp_dir().join(format!("atropos-explore-harness-{number}"));
    ask_at(&place, request)
}

/// The same, with the request in this file.
pub fn ask_at(place: &Path, request: &str) -> Vec<Response> {
    std::fs::write(place, request).unwrap();
    let (mut reader, writer) = std::io::pipe().unwrap();
    let descriptor = writer.as_raw_fd();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .env(ENV_ORDER, place)
        .env(ENV_ANSWERS, descriptor.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // SAFETY: only calls that are allowed between fork and exec.
    unsafe {
        command.pre_exec(move || {
            unsafe extern "C" {
                fn fcntl(file: i32, command: i32, ...) -> i32;
            }
            const SET_FLAGS: i32 = 2;
            // The pipe stays open in the program that is started.
            fcntl(descriptor, SET_FLAGS, 0);
            Ok(())
        });
    }
    let mut child = command.spawn().unwrap();
    drop(writer);
    let mut said = String::new();
    reader.read_to_string(&mut said).unwrap();
    child.wait().unwrap();
    std::fs::remove_file(place).unwrap();
    said.lines()
        .map(|line| Response::parse(line).unwrap_or_else(|| panic!("`{line}` is no response")))
        .collect()
}

/// What is said of the original.
pub fn original(responses: &[Response]) -> &Explored {
    let mut said = responses.iter().filter_map(|response| match response {
        Response::Original(explored) => Some(explored),
        _ => None,
    });
    said.next()
        .unwrap_or_else(|| panic!("nothing of the original in {responses:?}"))
}

/// What is said of a mutant.
pub fn mutant(responses: &[Response], wanted: u32) -> (MutantResult, &Explored) {
    let mut said = responses.iter().filter_map(|response| match response {
        Response::Mutant {
            mutant,
            result,
            explored,
        } if mutant.0 == wanted => Some((*result, explored)),
        _ => None,
    });
    said.next()
        .unwrap_or_else(|| panic!("nothing of mutant {wanted} in {responses:?}"))
}

/// The error that is responded.
pub fn error(responses: &[Response]) -> &str {
    match responses {
        [Response::Error(error)] => error,
        _ => panic!("no error: {responses:?}"),
    }
}
