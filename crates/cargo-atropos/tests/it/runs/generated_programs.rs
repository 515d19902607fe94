//! Programs with threads that nobody wrote: what the tool does by default against the naive way, in which every mutant is
//! explored by itself under all schedules of every test.
//!
//! `ATROPOS_SEEDS=5..9` draws other programs than the usual one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

use atropos_search::XorShift;

use crate::runs::tree::Tree;

const FUNCTIONS: u64 = 10;
const TESTS: u64 = 25;

struct Draw(XorShift);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0.below(bound)
    }

    fn choose(&mut self, choices: &[&str]) -> String {
        choices[self.below(choices.len() as u64) as usize].to_owned()
    }

    fn number(&mut self, depth: u32, values: &[&str]) -> String {
        if depth == 0 || self.0.one_in(4) {
            return match self.0.one_in(3) {
                true => self.below(4).to_string(),
                false => self.choose(values),
            };
        }
        let left = self.number(depth - 1, values);
        match self.below(4) {
            0 => {
                let condition = self.condition(values);
                let right = self.number(depth - 1, values);
                format!("(if {condition} {{ {left} }} else {{ {right} }})")
            }
            1 => format!(
                "({left} {} {})",
                self.choose(&["/", "%"]),
                1 + self.below(4)
            ),
            _ => {
                let operator = self.choose(&["+", "-", "*", "&", "|", "^"]);
                let right = self.number(depth - 1, values);
                format!("({left} {operator} {right})")
            }
        }
    }

    fn condition(&mut self, values: &[&str]) -> String {
        let operator = self.choose(&["<", "<=", ">", ">=", "==", "!="]);
        let [left, right] = [0; 2].map(|_| self.number(0, values));
        format!("{left} {operator} {right}")
    }

    fn functions(&mut self) -> String {
        let mut text = String::from("#![allow(unused)]\n");
        for number in 0..FUNCTIONS {
            let depth = 1 + self.below(2) as u32;
            let body = self.number(depth, &["a", "b"]);
            let _ = writeln!(
                text,
                "pub fn f{number}(a: i64, b: i64) -> i64 {{\n    {body}\n}}"
            );
        }
        text
    }

    /// What a thread does: it asserts what a function gives by a copy of the function, so that the original passes.
    fn statements(&mut self) -> String {
        let mut text = String::new();
        let mut values = vec!["1".to_owned(), "2".to_owned()];
        for number in 0..2 + self.below(2) {
            let known: Vec<&str> = values.iter().map(String::as_str).collect();
            let [a, b] = [0; 2].map(|_| self.choose(&known));
            let function = self.below(FUNCTIONS);
            let cell = self.choose(&["x", "y"]);
            let condition = self.condition(&known);
            let v = format!("v{number}");
            let _ = match self.below(8) {
                0 => writeln!(text, "let {v} = {cell}.get();"),
                1 => writeln!(text, "let {v} = {cell}.load();"),
                2 => writeln!(text, "let {v} = 0; {cell}.set(f{function}({a}, {b}) % 4);"),
                3 => writeln!(
                    text,
                    "let {v} = 1; {cell}.store(f{function}({a}, {b}) % 4);"
                ),
                4 => writeln!(
                    text,
                    "let {v} = {cell}.update(|o| f{function}(o, {b}) % 5);"
                ),
                5 => writeln!(text, "let {v} = {cell}.add({b});"),
                _ => writeln!(
                    text,
                    "let {v} = f{function}({a}, {b});\n\
                     if {condition} {{ assert_eq!({v}, copy::f{function}({a}, {b})); }}"
                ),
            };
            values.push(v);
        }
        text
    }

    fn tests(&mut self) -> String {
        let mut text = String::from(
            "#![allow(unused)]\nuse generated_programs::{Cell, functions::*};\nuse std::thread;\nmod copy;\n",
        );
        for number in 0..TESTS {
            let threads: String = (0..1 + self.below(2))
                .map(|_| format!("scope.spawn(|| {{\n{}}});\n", self.statements()))
                .collect();
            let own = self.statements();
            let _ = writeln!(
                text,
                "#[test]\nfn program_{number}() {{\n\
                 let (x, y) = (Cell::default(), Cell::default());\n\
                 thread::scope(|scope| {{\n{threads}{own}}});\n}}"
            );
        }
        text
    }
}

fn seeds() -> Range<u64> {
    let usual = 1..2;
    let Ok(text) = std::env::var("ATROPOS_SEEDS") else {
        return usual;
    };
    let seeds = text.split_once("..").expect("seeds are like 5..9");
    let [from, to] = [seeds.0, seeds.1].map(|seed| seed.parse().expect("a seed is a number"));
    from..to
}

#[test]
fn by_default_tests_kill_what_they_kill_in_the_naive_way() {
    let tree = Tree::of("generated_programs");
    for seed in seeds() {
        let mut draw = Draw(XorShift::new(seed));
        let functions = draw.functions();
        tree.write("src/functions.rs", &functions);
        tree.write("tests/copy/mod.rs", &functions);
        tree.write("tests/programs.rs", &draw.tests());
        let kills = |technique: &[&str]| {
            let usual = [
                "--operators=all",
                "--kill-matrix",
                "--explore=exhaustive",
                "-C--offline",
            ];
            let run = tree.run(&[&usual[..], technique].concat());
            let mutants = run.outcomes().mutants.iter();
            let killed: BTreeMap<String, BTreeSet<String>> = mutants
                .map(|mutant| {
                    let tests = run.killers(mutant).into_iter().map(str::to_owned);
                    (mutant.info.key.clone(), tests.collect())
                })
                .collect();
            killed
        };
        let naive = kills(&["--technique=naive"]);
        let pairs: usize = naive.values().map(BTreeSet::len).sum();
        assert!(pairs > 50, "seed {seed}: {pairs}");
        let default = kills(&[]);
        for (mutant, tests) in &naive {
            assert_eq!(&default[mutant], tests, "seed {seed}: {mutant}");
        }
    }
}
