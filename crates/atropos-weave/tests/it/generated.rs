//! Programs that nobody wrote: random expressions, nested, with effects, over several lines.

use atropos_mutants::OperatorSelection;

use crate::support::{Differences, Program, compare, reference, weave};

/// A small generator of numbers (Lehmer's, with Park and Miller's constants).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0 * 48_271 % 2_147_483_647;
        self.0 % limit
    }

    fn choose<'t>(&mut self, choices: &[&'t str]) -> &'t str {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// Mostly a space; sometimes a line ends here.
    fn gap(&mut self) -> &'static str {
        self.choose(&[
            " ",
            " ",
            " ",
            " ",
            " ",
            "\n",
            " // comment\n ",
            " /* here */ ",
        ])
    }

    fn number(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.below(3) {
                0 => self.below(9).to_string(),
                1 => format!("-{}i32", self.below(4)),
                _ => self.choose(&["a", "b", "v[0]", "p.1", "*r"]).to_owned(),
            };
        }
        let d = depth - 1;
        match self.below(14) {
            0..=5 => {
                let op = self.choose(&["+", "-", "*", "/", "%", "&", "|", "^"]);
                let (left, right) = (self.number(d), self.number(d));
                format!("({left}{}{op}{}{right})", self.gap(), self.gap())
            }
            6 => format!("(({}) << {})", self.number(d), self.below(4)),
            7 => format!("-({})", self.number(d)),
            8 => format!("seen(\"n\", {})", self.number(d)),
            9 => format!(
                "Noisy::new(({}) as i32 as u32 & 7).get() as i32",
                self.number(d)
            ),
            10 => format!(
                "if {} {{ {} }} else {{{}{} }}",
                self.truth(d),
                self.number(d),
                self.gap(),
                self.number(d)
            ),
            11 => format!("v[({}) as i32 as usize % 4]", self.number(d)),
            12 => format!(
                "match {} {{ 0 => {}, x if x > {} => x, _ => {} }}",
                self.number(d),
                self.number(d),
                self.number(0),
                self.number(d)
            ),
            _ => format!(
                "{{ let t: i32 = {}; t.wrapping_add({}) }}",
                self.number(d),
                self.number(d)
            ),
        }
    }

    fn truth(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self
                .choose(&["c", "true", "a > b", "v.is_empty()"])
                .to_owned();
        }
        let d = depth - 1;
        match self.below(8) {
            0..=2 => {
                let op = self.choose(&["<", "<=", "==", "!=", ">", ">="]);
                let (left, right) = (self.number(d), self.number(d));
                format!("(({left}){}{op}{}({right}))", self.gap(), self.gap())
            }
            3 | 4 => {
                let op = self.choose(&["&&", "||"]);
                let (left, right) = (self.truth(d), self.truth(d));
                format!("({left}{}{op}{}{right})", self.gap(), self.gap())
            }
            5 => format!("!({})", self.truth(d)),
            6 => format!("seen(\"c\", {})", self.truth(d)),
            _ => format!("(Noisy::new({}) == Noisy::new(2))", self.below(4)),
        }
    }

    fn statement(&mut self) -> String {
        match self.below(6) {
            0 => format!("a = {};", self.number(2)),
            1 => format!(
                "v[{}] {} {};",
                self.below(3),
                self.choose(&["+=", "-=", "^="]),
                self.number(1)
            ),
            2 => format!("if {} {{ a -= 1; }}", self.truth(2)),
            3 => format!(
                "for i in 0..{} {{ b += i; if {} {{ break; }} }}",
                self.below(5),
                self.truth(1)
            ),
            4 => format!("if {} {{ return {}; }}", self.truth(2), self.number(1)),
            _ => format!("let mut b = seen(\"let\", {});", self.number(2)),
        }
    }

    fn section(&mut self) -> String {
        let mut text = String::from(
            "//# generated\nuse helper::{attempt, seen, Noisy};\n\
             fn f(mut a: i32, mut b: i32, c: bool, v: &mut [i32], r: &i32) -> i32 {\n\
             let p = (a, b + 1);\n",
        );
        for _ in 0..3 {
            text.push_str(&format!("{}\n", self.statement()));
        }
        let tail = self.number(3);
        text.push_str(&format!("{tail}\n}}\n"));
        text.push_str(
            "#[cfg_attr(test, mutants::skip)]\npub fn main() {\n\
             for (a, b, c) in [(1, 2, true), (-7, 3, false), (i32::MAX, 1, true)] {\n\
             attempt(\"f\", || f(a, b, c, &mut [1, 2, 3, 4], &6));\n}\n}\n",
        );
        text
    }
}

#[test]
fn programs_that_nobody_wrote_behave_the_same_with_every_mutant() {
    // For hunting: other programs by `ATROPOS_SEED=2 cargo test …`.
    let seed = std::env::var("ATROPOS_SEED").map_or(1, |seed| seed.parse().unwrap());
    let mut random = Random(seed * 20_260_101 % 2_147_483_647);
    let text: String = (0..8).map(|_| random.section()).collect();
    let program = Program::new("generated", "2021", OperatorSelection::default(), &text);
    assert!(program.all_mutants().count() > 200);
    let woven = weave(&program);
    assert!(woven.rounds <= 4, "{} rounds", woven.rounds);
    let differences = compare(&program, &woven, &reference(&program, 2));
    assert_eq!(differences, Differences::default());
}
