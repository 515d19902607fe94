//! Without a driver: runs the selected tests one after another and reports like libtest.
//!
//! Output of tests is not captured.

use atropos_libtest::Arguments;
use atropos_runtime::zygote::Failure;

use crate::judge;
use crate::suite::Selected;

/// Lists or runs the tests; the result is the process's exit code.
pub fn run(suite: &Selected, arguments: &Arguments) -> i32 {
    if arguments.list {
        list(suite, arguments);
        return 0;
    }
    let count = suite.tests.len();
    println!(
        "\nrunning {count} test{}",
        if count == 1 { "" } else { "s" }
    );
    let mut failures: Vec<(&str, Failure)> = Vec::new();
    let (mut passed, mut ignored) = (0, 0);
    for test in &suite.tests {
        let name = test.name();
        if arguments.ignores(test) {
            ignored += 1;
            match test.desc.ignore_message {
                Some(message) => println!("test {name} ... ignored, {message}"),
                None => println!("test {name} ... ignored"),
            }
            continue;
        }
        match judge::run(test) {
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
            println!("    {name}: {}", failure.message);
        }
    }
    let result = if failures.is_empty() { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {result}. {passed} passed; {} failed; {ignored} ignored\n",
        failures.len()
    );
    if failures.is_empty() { 0 } else { 101 }
}

fn list(suite: &Selected, arguments: &Arguments) {
    for test in &suite.tests {
        println!("{}: test", test.name());
    }
    if !arguments.terse {
        println!("\n{} tests, 0 benchmarks", suite.tests.len());
    }
}
