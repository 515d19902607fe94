//! A test binary that somebody starts by hand, without our driver: runs the selected tests one after
//! another and reports like libtest. Output of tests is not captured.

use crate::{HarnessArguments, TestDescAndFn, run_and_judge};

/// Lists or runs the tests; the result is the process's exit code.
pub fn run(tests: &[&TestDescAndFn], arguments: &HarnessArguments) -> i32 {
    if arguments.list {
        list(tests, arguments);
        return 0;
    }
    let count = tests.len();
    println!(
        "\nrunning {count} test{}",
        if count == 1 { "" } else { "s" }
    );
    let mut failures: Vec<(&str, String)> = Vec::new();
    let (mut passed, mut ignored) = (0, 0);
    for test in tests {
        let name = test.name();
        if arguments.ignores(test) {
            ignored += 1;
            match test.desc.ignore_message {
                Some(message) => println!("test {name} ... ignored, {message}"),
                None => println!("test {name} ... ignored"),
            }
            continue;
        }
        match run_and_judge(test) {
            Ok(()) => {
                passed += 1;
                println!("test {name} ... ok");
            }
            Err(failure) => {
                println!("test {name} ... FAILED");
                failures.push((name, failure));
            }
        }
    }
    if !failures.is_empty() {
        println!("\nfailures:");
        for (name, failure) in &failures {
            println!("    {name}: {failure}");
        }
    }
    let result = if failures.is_empty() { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {result}. {passed} passed; {} failed; {ignored} ignored\n",
        failures.len()
    );
    if failures.is_empty() { 0 } else { 101 }
}

fn list(tests: &[&TestDescAndFn], arguments: &HarnessArguments) {
    for test in tests {
        println!("{}: test", test.name());
    }
    if !arguments.terse {
        println!("\n{} tests, 0 benchmarks", tests.len());
    }
}
