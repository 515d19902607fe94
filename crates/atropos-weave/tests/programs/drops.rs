//# arguments
use helper::{attempt, note, Noisy};

fn take(n: u32) -> u32 {
    note("take");
    n
}

fn values() -> u32 {
    take(Noisy::new(1).get() + 1) + take(2 * Noisy::new(2).me().get())
}

fn negated() -> bool {
    let flag = !hold(Noisy::new(1).get() == 1);
    hold(!flag)
}

fn hold(flag: bool) -> bool {
    note("hold");
    flag
}

fn compared() -> bool {
    hold(Noisy::new(1) < Noisy::new(2)) == hold(Noisy::new(3) == Noisy::new(3))
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    attempt("values", values);
    attempt("negated", negated);
    attempt("compared", compared);
}

//# operands of && and ||
use helper::{attempt, note, Noisy};

fn both(a: u32, b: u32) -> bool {
    note("start");
    Noisy::new(a).get() > 0 && Noisy::new(b).get() > 0 || Noisy::new(9).me().get() == b
}

fn held(a: u32) -> u32 {
    if Noisy::new(a).get() == 1 && a != 2 {
        note("inside");
    }
    while Noisy::new(7).get() < a {
        note("loop");
        return 1;
    }
    a
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1), (0, 9)] {
        attempt("both", || both(a, b));
        attempt("held", || held(a + b));
    }
}

//# tails with locals
use helper::{attempt, note, Noisy};

fn tail(n: u32) -> u32 {
    let _local = Noisy::new(1);
    Noisy::new(n).me().get() + 1
}

fn tail_condition(n: u32) -> bool {
    let local = Noisy::new(1);
    Noisy::new(n).me() == &local
}

fn tail_of_closure(n: u32) -> u32 {
    let closure = |m: u32| {
        let _local = Noisy::new(2);
        !Noisy::new(m).me().get()
    };
    closure(n)
}

fn tail_of_branch(n: u32) -> u32 {
    let value = if n > 1 {
        let _local = Noisy::new(3);
        Noisy::new(n).me().get() * 2
    } else {
        Noisy::new(n).me().get() - 1
    };
    note("after");
    value
}

fn tail_of_block(n: u32) -> u32 {
    let value = { Noisy::new(n).me().get() + 3 } + Noisy::new(4).get();
    note("after");
    value
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    for n in [1, 2] {
        attempt("tail", || tail(n));
        attempt("condition", || tail_condition(n));
        attempt("closure", || tail_of_closure(n));
        attempt("branch", || tail_of_branch(n));
        attempt("block", || tail_of_block(n));
    }
}

//# scrutinees
use helper::{attempt, note, Noisy};

fn matched(n: u32) -> u32 {
    match Noisy::new(n).me().get() + 1 {
        2 => {
            note("two");
            20
        }
        x if x > Noisy::new(2).get() => x,
        _ => 0,
    }
}

fn if_let(n: u32) -> u32 {
    if let Some(m) = Noisy::new(n).me().get().checked_sub(1) {
        note("some");
        m
    } else {
        note("none");
        7
    }
}

fn while_let(n: u32) -> u32 {
    let mut left = n;
    while let Some(m) = Noisy::new(left).me().get().checked_sub(1) {
        note("turn");
        left = m;
    }
    left
}

fn for_loop(n: u32) -> u32 {
    let mut sum = 0;
    for i in 0..Noisy::new(n).me().get() {
        note("turn");
        sum += i;
    }
    sum
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    for n in [0, 1, 2] {
        attempt("matched", || matched(n));
        attempt("if let", || if_let(n));
        attempt("while let", || while_let(n));
        attempt("for", || for_loop(n));
    }
}

//# operators that move
use helper::{attempt, note, Noisy};

fn moved(a: Noisy, b: Noisy) -> Noisy {
    note("start");
    let sum = a + b - Noisy::new(1);
    note("end");
    sum
}

fn assigned(mut a: Noisy, n: u32) -> Noisy {
    a += n;
    a -= Noisy::new(1).get();
    let boxed = &mut [a];
    boxed[0] *= 2;
    note("assigned");
    Noisy::new(boxed[0].get())
}

fn lent(a: &mut Noisy) -> &mut Noisy {
    note("lent");
    a
}

fn reached(mut a: Noisy) -> u32 {
    *lent(&mut a) += 1;
    lent(&mut a).0 += Noisy::new(5).get();
    lent(&mut a).0 *= 3;
    a.get()
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    attempt("moved", || moved(Noisy::new(5), Noisy::new(6)).get());
    attempt("too little", || moved(Noisy::new(0), Noisy::new(0)).get());
    attempt("assigned", || assigned(Noisy::new(5), 3).get());
    attempt("reached", || reached(Noisy::new(5)));
}

//# early ends
use helper::{attempt, note, Noisy};

fn question(n: u32) -> Option<u32> {
    let first = Noisy::new(n);
    let sum = first.get() + Noisy::new(2).get().checked_sub(n)?;
    note("summed");
    Some(sum * maybe(Noisy::new(n))?)
}

fn maybe(n: Noisy) -> Option<u32> {
    if n.get() == 1 {
        return None;
    }
    Some(n.into_number())
}

fn broken(n: u32) -> u32 {
    let mut turns = 0;
    let last = loop {
        turns += 1;
        if Noisy::new(turns).get() >= n {
            break Noisy::new(turns).me().get() * 2;
        }
        note("on");
    };
    last + turns
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    for n in [0, 1, 2, 3] {
        attempt("question", || question(n));
        attempt("broken", || broken(n));
    }
}

//# deletions
use helper::{attempt, note, Noisy};

fn deleted(n: u32) -> u32 {
    let a = Noisy::new(n);
    note("one");
    drop(a);
    let mut b = Noisy::new(n + 1);
    b = Noisy::new(b.get() + 1);
    if n > 1 {
        note("big");
    }
    { Noisy::new(9).get(); }
    b.get()
}

macro_rules! hold {
    ($n:expr) => {
        let guard = Noisy::new($n);
        note("held");
    };
}

macro_rules! mention {
    ($n:expr) => {
        Noisy::new($n).get()
    };
}

fn held_by_a_macro(n: u32) -> u32 {
    hold!(n);
    mention!(n + 1);
    note("used");
    n * 2
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    for n in [1, 2] {
        attempt("deleted", || deleted(n));
        attempt("held by a macro", || held_by_a_macro(n));
    }
}

//# what is done on drop
use helper::{attempt, note};

struct Visit<'a> {
    open: &'a std::cell::Cell<u32>,
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        if self.open.get() == 7 {
            return;
        }
        self.open.set(self.open.get() - 1);
        note(&self.open.get().to_string());
    }
}

fn visits(first: u32) -> u32 {
    let open = std::cell::Cell::new(first);
    {
        let _one = Visit { open: &open };
        let _other = Visit { open: &open };
        note("visits");
    }
    open.get()
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    attempt("few", || visits(3));
    attempt("seven", || visits(8));
}
