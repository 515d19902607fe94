//! Small models of talking objects with every kind of statement, to check the tool itself with.

use crate::random::SplitMix64;

/// A model of a few objects; the same for the same seed.
pub fn random_model(seed: u64) -> String {
    let mut g = Generator {
        random: SplitMix64::new(seed),
        depth: 0,
    };
    g.model()
}

struct Generator {
    random: SplitMix64,
    depth: usize,
}

impl Generator {
    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.random.below(of.len())]
    }

    fn model(&mut self) -> String {
        let cells = 1 + self.random.below(3);
        let attributes: String = (0..cells)
            .map(|at| format!("c{at}: Cell = new(Cell, \"cell{at}\"); "))
            .collect();
        let order = self.pick(&["Main [] Cell", "Main // Cell", "Cell // Main"]);
        let links: String = (0..cells)
            .map(|at| {
                format!(
                    "c{at}.link(c{}, {}); ",
                    (at + 1) % cells,
                    self.random.below(4)
                )
            })
            .collect();
        let cell = self.cell();
        let main = self.block();
        format!(
            "types
  T = {{A, B, D}};
  I = int[0..3];
  L = list[2] of I;
  M = map[2] T to I;
  Cell = system |[
    var n, k: I; t: T; b, linked: bool; l: L; m: M; p: (I, bool); next: Cell
    {cell}
  ]|;
  Main = autocons system |[
    var n, k: I; t: T; b, linked: bool = false; l: L = [1]; m: M = {{T.B -> 2}}; p: (I, bool); next: Cell; {attributes}started: bool = false
    methods
      get: I = result := n end;
      fun(x: I): I = requires x > 1: result := x - 1 end // result := 1 end;
      bump(x: I) = requires n < 3: n := n + 1 end // n := x end;
      add(x: I, acc: I): I = result := if acc + x < 4 then acc + x else x end end
    actions
      obs out(x: I) = requires true: skip end;
      obs state(x: T) = requires true: skip end;
      ctr go(x: I) = requires started: {main} end
    do
      requires not started: {links}started := true; next := c0 end
      // {own} [] var x: I: go(x)
    od
  ]|
system
  {order}
",
            own = self.guarded()
        )
    }

    fn cell(&mut self) -> String {
        let (first, second, third) = (self.guarded(), self.guarded(), self.block());
        format!(
            "methods
      link(x: Cell, v: I) = next := x; n := v; linked := true end;
      get: I = result := n end;
      fun(x: I): I = result := if x > k then x else k end end;
      bump(x: I) = requires k < 3: k := k + 1 end // n := x [] k := 0 end;
      add(x: I, acc: I): I = result := if acc + x < 4 then acc + x else 0 end end
    actions
      obs out(x: I) = requires true: skip end;
      obs state(x: T) = requires true: skip end;
      ctr poke(x: I) = requires linked and x = n: {third} end
    do
      requires linked: {first} end [] requires linked: {second} end [] var x: I: poke(x)
    od"
        )
    }

    fn guarded(&mut self) -> String {
        let (cond, body) = (self.truth(), self.block());
        format!("requires {cond}: {body} end")
    }

    fn block(&mut self) -> String {
        self.depth += 1;
        let text = match self.random.below(if self.depth > 3 { 4 } else { 8 }) {
            0..=2 => self.simple(),
            3 => format!("{}; {}", self.simple(), self.simple()),
            4 => format!("({} [] {})", self.block(), self.block()),
            5 => format!("({} // {})", self.guarded(), self.block()),
            6 => self.guarded(),
            _ => format!("(var y: I & y > k: n := y; {})", self.simple()),
        };
        self.depth -= 1;
        text
    }

    fn simple(&mut self) -> String {
        match self.random.below(16) {
            0 => format!("n := {}", self.number()),
            1 => format!("k := {}", self.number()),
            2 => format!("b := {}", self.truth()),
            3 => format!("t := {}", self.pick(&["T.A", "T.B", "T.D"])),
            4 => format!("n, k := {}, {}", self.number(), self.number()),
            5 => format!("l := [{}]", self.number()),
            6 => "l := if len l < 2 then l + [k] else tl l end".into(),
            7 => format!("out({})", self.number()),
            8 => "state(t)".into(),
            9 => format!("bump({})", self.number()),
            10 => "requires next <> nil: next.bump(k) end // skip".into(),
            11 => "m[t] := n".into(),
            12 => format!("p := ({}, b)", self.number()),
            13 => "n := add(0) :<: (l)".into(),
            14 => "l := [y | var y: I & y > 1]".into(),
            _ => "skip".into(),
        }
    }

    fn number(&mut self) -> String {
        match self.random.below(14) {
            0..=2 => self.random.below(4).to_string(),
            3 | 4 => "n".into(),
            5 => "k".into(),
            6 => "(n + k) mod 4".into(),
            7 => "fun(n)".into(),
            8 => "len l".into(),
            9 => "abs (n - k)".into(),
            10 => "p[0]".into(),
            11 => "if t in m then m[t] else 0 end".into(),
            12 => "(k + 1) mod 4".into(),
            _ => "add(0) :>: (l)".into(),
        }
    }

    fn truth(&mut self) -> String {
        match self.random.below(12) {
            0 => "b".into(),
            1 => "not b".into(),
            2 => format!("n {} k", self.pick(&["<", "<=", "=", "<>", ">", ">="])),
            3 => format!("{} < {}", self.number(), self.number()),
            4 => "t = T.B".into(),
            5 => "forall y: I: (y <= 2 or n > 0)".into(),
            6 => "exists y: I: (y = n and y > 1)".into(),
            7 => "n in l".into(),
            8 => format!("(b {} n > 1)", self.pick(&["and", "or", "=>"])),
            9 => "l = [1]".into(),
            10 => "exists c: Cell: (c.get() > n)".into(),
            _ => "t not in m".into(),
        }
    }
}
