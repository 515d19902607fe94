//! Generated Rust tests, compiled and run against a right and a wrong implementation.

use crate::generation::{EngineKind, GenerationOptions, Workers, generate};
use crate::results::TestCase;
use crate::results::rust_tests::{adapter_file, tests_file};
use crate::tests::support::{class, load};
use std::path::Path;
use std::process::Command;

const ADAPTER: &str = "use super::*;
use std::collections::VecDeque;
#[derive(Default)]
pub struct Adapter { level: i64, out: VecDeque<String> }
impl System for Adapter {
    fn turn(&mut self, how: THow) {
        match how { THow::Up => self.level += 1, THow::Off => self.level = 0 }
        self.out.push_back(format!(\"Level({})\", self.level));
        if self.level == LIMIT { self.level = 0; self.out.push_back(\"Alarm\".into()); }
    }
    fn observe(&mut self) -> Option<String> { self.out.pop_front() }
}
";

fn compile_and_run(directory: &Path, limit: i64) -> bool {
    let adapter = ADAPTER.replace("LIMIT", &limit.to_string());
    std::fs::write(directory.join("adapter.rs"), adapter).expect("written");
    let binary = directory.join("tests");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let built = Command::new(rustc)
        .args(["--test", "--edition", "2024", "-o"])
        .arg(&binary)
        .arg(directory.join("main.rs"))
        .output()
        .expect("rustc runs");
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    Command::new(&binary)
        .output()
        .expect("the tests run")
        .status
        .success()
}

#[test]
fn generated_tests_pass_on_a_right_implementation_and_fail_on_a_wrong_one() {
    let text = class(
        "t_How = {Up, Off};",
        "var level: int[0..3]; told: bool = true
         actions ctr Turn(how: t_How) = requires told: (requires how = t_How.Up: level := level + 1 end [] requires how = t_How.Off: level := 0 end); told := false end;
           obs Level(n: int[0..3]) = requires not told: told := true end;
           obs Alarm = requires told and level = 3: level := 0 end
         do Level(level) // Alarm() // var how: t_How: Turn(how) od",
    );
    let model = load(&text);
    let options = GenerationOptions {
        engine: EngineKind::Interpreter,
        workers: 1,
        ..GenerationOptions::default()
    };
    let mut generated = generate(&model, &options, &mut |_| {}).expect("generated");
    let mut workers = Workers::new(&model, &options).expect("compiled");
    let paths = generated.paths.clone();
    let tests: Vec<TestCase> = paths
        .iter()
        .map(|path| TestCase::build(&mut generated.graph, &mut workers, path, options.limits))
        .collect();
    let directory = std::env::temp_dir().join(format!("atropos-rust-tests-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    std::fs::write(
        directory.join("main.rs"),
        tests_file(&model, "level", &tests),
    )
    .expect("written");
    assert!(compile_and_run(&directory, 3));
    assert!(!compile_and_run(&directory, 2));
    assert!(adapter_file(&model).contains("fn turn(&mut self, how: THow)"));
    std::fs::remove_dir_all(directory).expect("cleaned up");
}
