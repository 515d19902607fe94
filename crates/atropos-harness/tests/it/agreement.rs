//! The three ways must agree, verdict by verdict and message by message, on generated programs.
//!
//! The reference is a process of its own from the test's start: there nothing is shared.

use std::fmt::Write as _;

use atropos_protocol::{RunMode, TestResult};
use atropos_values::MutantId;

use crate::support::{Driver, Kind, compile, limits};

/// A small generator of numbers; the programs must be the same in every run of this test.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len() as u64) as usize]
    }
}

/// A program in the making: functions over small numbers, full of mutation points.
struct Generator {
    dice: Dice,
    points: Vec<(u32, u16)>,
    next: u32,
}

impl Generator {
    fn point(&mut self, size: usize) -> u32 {
        let first = self.next;
        self.next += size as u32;
        self.points.push((first, size as u16));
        first
    }

    fn number(&mut self, depth: u32, functions: usize) -> String {
        if depth == 0 {
            let literal = self.dice.roll(7).to_string();
            return self.dice.pick(&["a", "b", &literal]).to_owned();
        }
        match self.dice.roll(10) {
            0..=4 => self.arithmetic(depth, functions),
            5 => {
                let condition = self.truth(depth - 1, functions);
                let (then, otherwise) = (
                    self.number(depth - 1, functions),
                    self.number(depth - 1, functions),
                );
                format!("if {condition} {{ {then} }} else {{ {otherwise} }}")
            }
            6 if functions > 0 => {
                let function = self.dice.roll(functions as u64);
                let (left, right) = (
                    self.number(depth - 1, functions),
                    self.number(depth - 1, functions),
                );
                format!("f{function}({left}, {right})")
            }
            7 => {
                let first = self.point(2);
                let inner = self.number(depth - 1, functions);
                format!("match at({first}) {{ 1 => 0, 2 => 3, _ => {inner} }}")
            }
            _ => self.number(depth - 1, functions),
        }
    }

    fn arithmetic(&mut self, depth: u32, functions: usize) -> String {
        const OPERATORS: [(&str, char); 5] =
            [("+", '+'), ("-", '-'), ("*", '*'), ("&", '&'), ("^", '^')];
        let (text, op) = OPERATORS[self.dice.roll(5) as usize];
        let others: Vec<_> = OPERATORS.iter().filter(|(_, other)| *other != op).collect();
        let first = self.point(others.len());
        let letters: String = others.iter().map(|(_, letter)| letter).collect();
        let mut arms = String::new();
        for (k, (other, _)) in others.iter().enumerate() {
            write!(arms, "{} => l {other} r, ", k + 1).unwrap();
        }
        let (left, right) = (
            self.number(depth - 1, functions),
            self.number(depth - 1, functions),
        );
        format!(
            "(match ({left}, {right}) {{ (l, r) => match arith({first}, b'{op}', b\"{letters}\", \
             (&Peek(&l)).peek(), (&Peek(&r)).peek()) {{ {arms}_ => l {text} r }} }})"
        )
    }

    fn truth(&mut self, depth: u32, functions: usize) -> String {
        match self.dice.roll(3) {
            0 if depth > 0 => {
                let first = self.point(3);
                let (left, right) = (
                    self.truth(depth - 1, functions),
                    self.truth(depth - 1, functions),
                );
                format!(
                    "(match {left} {{ l => if logic({first}, b'&', b\"|LR\", l) \
                     {{ {right} }} else {{ l }} }})"
                )
            }
            1 if depth > 0 => {
                let first = self.point(3);
                let inner = self.truth(depth - 1, functions);
                format!("cond({first}, b\"!TF\", {inner})")
            }
            _ => {
                let first = self.point(5);
                let (left, right) = (
                    self.number(depth.saturating_sub(1), functions),
                    self.number(depth.saturating_sub(1), functions),
                );
                format!(
                    "(match (&({left}), &({right})) {{ (l, r) => match relate({first}, b'<', \
                     b\"l>=gT\", (&Peek(l)).peek(), (&Peek(r)).peek()) {{ 1 => *l <= *r, \
                     2 => *l > *r, 3 => *l == *r, 4 => *l >= *r, 5 => true, _ => *l < *r }} }})"
                )
            }
        }
    }

    fn program(&mut self) -> String {
        let mut text = String::from(
            "#![allow(warnings)]\n\
             use atropos_runtime::probe::{Peek, PeekAny as _, PeekPrim as _};\n\
             use atropos_runtime::{arith, at, cond, logic, on, relate, step};\n",
        );
        for function in 0..5 {
            let body = self.number(4, function);
            writeln!(
                text,
                "fn f{function}(a: i16, b: i16) -> i16 {{ step(0); let v: i16 = {body}; v % 50 }}"
            )
            .unwrap();
        }
        for (test, remainder) in (0..3).flat_map(|test| (0..3).map(move |rest| (test, rest))) {
            let first = test + 2;
            writeln!(
                text,
                "#[test] fn test_{test}_{remainder}() {{ let mut sum = 0i64; \
                 for a in 0..4 {{ for b in 0..3 {{ step(0); \
                 sum = sum * 3 + f{first}(a, b) as i64; }} }} \
                 if sum.rem_euclid(3) == {remainder} {{ panic!(\"{{sum}}\") }} }}"
            )
            .unwrap();
        }
        text
    }
}

fn check(seed: u64) {
    let mut generator = Generator {
        dice: Dice(seed),
        points: Vec::new(),
        next: 1,
    };
    let text = generator.program();
    let mut driver = Driver::start(&compile(&text, Kind::Test), &generator.points);
    let tests: Vec<String> = driver
        .client
        .tests()
        .iter()
        .map(|test| test.name.clone())
        .collect();
    let (mut compared, mut killed, mut shared) = (0, 0, 0);
    for test in tests {
        let baseline = driver.baseline(&test);
        if !baseline.passed() {
            continue;
        }
        let all: Vec<u32> = (1..generator.next).collect();
        let alone = driver.run(RunMode::Each, &test, &all);
        let forked = driver.run(RunMode::Fork, &test, &all);
        let (batch, run) = driver.run_with(RunMode::Batch, &test, &all, &limits());
        assert_eq!(run.void, None);
        for mutant in all {
            let (alone, forked) = (&alone[&mutant], &forked[&mutant]);
            let what = format!("seed {seed}, {test}, mutant {mutant}: {alone:?} {forked:?}");
            assert_eq!(batch[&mutant].result, alone.result, "{what}");
            assert_eq!(batch[&mutant].message, alone.message, "{what}");
            assert_eq!(batch[&mutant].steps, alone.steps, "{what}");
            if forked.result == TestResult::NotInfected {
                assert!(!baseline.infected.contains(&MutantId(mutant)), "{what}");
                assert_eq!(alone.result, TestResult::Passed, "{what}");
                assert_eq!(alone.steps, baseline.steps, "{what}");
            } else {
                assert!(baseline.infected.contains(&MutantId(mutant)), "{what}");
                assert_eq!(forked.result, alone.result, "{what}");
                assert_eq!(forked.message, alone.message, "{what}");
                assert_eq!(forked.steps, alone.steps, "{what}");
            }
            compared += 1;
            killed += u32::from(alone.result.failure().is_some());
            shared += u32::from(forked.leader != MutantId(mutant));
        }
    }
    // The programs must be worth comparing.
    assert!(
        compared > 50 && killed > 5 && shared > 0,
        "{compared} {killed} {shared}"
    );
}

#[test]
fn fork_each_and_batch_agree_on_generated_programs() {
    for seed in [0x5eed, 0xa7_2090, 77] {
        check(seed);
    }
}
