//! The catalogue of operators: the rules that make mutants, each with its code, its category, one
//! sentence and one example. How many variants an operator makes is decided beside the code that
//! makes them; why these and not more is said there.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What an operator changes; `--operators` takes a category's name for all of its operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// `+ - * / %` and their assignments.
    Arithmetic,
    /// `& | ^ ! << >>` on integers.
    Bits,
    /// Comparisons, `&&`, `||`, and what decides `if`, `while` and guards.
    Condition,
    /// Literals.
    Constant,
    /// Statements and fields left out.
    Statement,
    /// Arms and guards of `match`.
    Match,
    /// Function bodies replaced by a value.
    Body,
    /// `?`, `return`, `break`, `continue` and ranges.
    Control,
    /// Classical operators that make many mutants and find little more; off unless asked for.
    Extended,
    /// Threads, locks, conditions, channels, atomics and critical regions.
    Concurrency,
}

impl Category {
    pub const ALL: [Category; 10] = [
        Category::Arithmetic,
        Category::Bits,
        Category::Condition,
        Category::Constant,
        Category::Statement,
        Category::Match,
        Category::Body,
        Category::Control,
        Category::Extended,
        Category::Concurrency,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Category::Arithmetic => "arithmetic",
            Category::Bits => "bits",
            Category::Condition => "condition",
            Category::Constant => "constant",
            Category::Statement => "statement",
            Category::Match => "match",
            Category::Body => "body",
            Category::Control => "control",
            Category::Extended => "extended",
            Category::Concurrency => "concurrency",
        }
    }

    /// Finds a category by its name, in any case.
    pub fn from_name(name: &str) -> Option<Category> {
        Category::ALL
            .into_iter()
            .find(|category| category.name().eq_ignore_ascii_case(name))
    }

    /// Whether its operators are used when the user asks for nothing.
    pub fn is_default(self) -> bool {
        self != Category::Extended
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One row of the catalogue.
struct Entry {
    operator: Operator,
    code: &'static str,
    category: Category,
    sentence: &'static str,
    before: &'static str,
    after: &'static str,
}

/// Makes the enum and the catalogue from one table, so that neither can have what the other lacks.
macro_rules! operators {
    ($($operator:ident, $code:literal, $category:ident, $sentence:literal, $before:literal, $after:literal;)*) => {
        /// A rule that makes mutants, known by its short code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "UPPERCASE")]
        pub enum Operator {
            $($operator,)*
        }

        /// In the order of the enum, so that an operator's number finds its row.
        const CATALOGUE: &[Entry] = &[
            $(Entry {
                operator: Operator::$operator,
                code: $code,
                category: Category::$category,
                sentence: $sentence,
                before: $before,
                after: $after,
            },)*
        ];
    };
}

// The name in code, the code, the category, what it does, and an example before and after.
#[rustfmt::skip]
operators! {
    Aor, "AOR", Arithmetic, "Replace an arithmetic operator by another one.", "a + b", "a - b";
    Aod, "AOD", Arithmetic, "Leave out one operand of an arithmetic operator, or a unary minus.", "a + b", "a";
    Aoi, "AOI", Arithmetic, "Put a minus before a signed value.", "f(x)", "f(-x)";
    Asr, "ASR", Arithmetic, "Replace a compound assignment by another one, or by a plain one.", "a += b", "a -= b";
    Sor, "SOR", Bits, "Shift the other way.", "a << b", "a >> b";
    Lor, "LOR", Bits, "Replace a bitwise operator by another one.", "a & b", "a | b";
    Loi, "LOI", Bits, "Complement an operand of a bitwise operator.", "a & b", "!a & b";
    Lod, "LOD", Bits, "Leave out the complement of an operand of a bitwise operator.", "a & !b", "a & b";
    Ror, "ROR", Condition, "Replace a comparison by a neighbouring one, or by true or false.", "a < b", "a <= b";
    Cor, "COR", Condition, "Exchange && and ||, or leave out one side.", "a && b", "a || b";
    Coi, "COI", Condition, "Negate a condition.", "if v.is_empty() { … }", "if !v.is_empty() { … }";
    Cod, "COD", Condition, "Leave out a negation.", "!done", "done";
    Crp, "CRP", Constant, "Replace a number by one more, one less, or zero.", "5", "6";
    Blr, "BLR", Constant, "Exchange true and false.", "true", "false";
    Slr, "SLR", Constant, "Empty a string literal, or fill an empty one.", "\"abc\"", "\"\"";
    Sdl, "SDL", Statement, "Delete a statement.", "self.count += 1;", "";
    Sfd, "SFD", Statement, "Leave a field of a struct literal to its base.", "S { a: 1, ..base }", "S { ..base }";
    Mad, "MAD", Match, "Delete a match arm when a later one catches everything.", "match n { 0 => a, _ => b }", "match n { _ => b }";
    Mgr, "MGR", Match, "Replace a match guard by true or false.", "x if x > 9 => a", "x if true => a";
    Fbr, "FBR", Body, "Replace a function's body by a value of its return type.", "fn len(&self) -> usize { … }", "fn len(&self) -> usize { 0 }";
    Qmr, "QMR", Control, "Swallow the error that `?` would hand on.", "f()?", "f().unwrap_or_default()";
    Err, "ERR", Control, "Remove an early return.", "if a { return b; }", "if a { }";
    Bcr, "BCR", Control, "Exchange break and continue.", "break", "continue";
    Rbr, "RBR", Control, "Move the end of a range by one: exchange .. and ..=.", "a..b", "a..=b";
    Abs, "ABS", Extended, "Take a signed value's absolute value, or its negation.", "f(x)", "f(x.abs())";
    Uoi, "UOI", Extended, "Add or subtract one where a number is used.", "f(x)", "f(x + 1)";
    Svr, "SVR", Extended, "Replace a variable by another one of the same type in scope.", "f(x)", "f(y)";
    Aar, "AAR", Extended, "Replace the array or the index of an element by another one of the same type in scope.", "a[i]", "a[j]";
    Mxt, "MXT", Concurrency, "Halve or double a time-out or a sleep.", "thread::sleep(d)", "thread::sleep(d * 2)";
    Msp, "MSP", Concurrency, "Lock another lock of the same type.", "self.a.lock()", "self.b.lock()";
    Esp, "ESP", Concurrency, "Exchange two locks that are taken one right after the other.", "let a = x.lock(); let b = y.lock();", "let b = y.lock(); let a = x.lock();";
    Msf, "MSF", Concurrency, "Make a fair unlock or choice unfair, or the reverse.", "MutexGuard::unlock_fair(g)", "drop(g)";
    Mxc, "MXC", Concurrency, "Change a count of threads, permits or messages by one.", "Barrier::new(n)", "Barrier::new(n + 1)";
    Mbr, "MBR", Concurrency, "Take away what a barrier's leader does.", "if b.wait().is_leader() { … }", "if (b.wait(), false).1 { … }";
    Rtxc, "RTXC", Concurrency, "Remove a call that makes a thread wait, or wakes one.", "condition.notify_all();", "";
    Rcxc, "RCXC", Concurrency, "Remove a call on a lock, channel, semaphore, barrier or atomic, or the start of a thread.", "sender.send(x)?;", "";
    Rna, "RNA", Concurrency, "Notify one instead of all.", "condition.notify_all()", "condition.notify_one()";
    Rjs, "RJS", Concurrency, "Sleep instead of waiting for a thread to end.", "handle.join().unwrap();", "thread::sleep(Duration::from_millis(10));";
    Elpa, "ELPA", Concurrency, "Exchange waiting and trying, or reading and writing, when something is acquired.", "m.lock().unwrap()", "m.try_lock().unwrap()";
    Ean, "EAN", Concurrency, "Split an atomic operation into a load and a store.", "n.fetch_add(1, SeqCst)", "{ let old = n.load(SeqCst); n.store(old + 1, SeqCst); old }";
    Astk, "ASTK", Concurrency, "Lock one lock for the whole type instead of the object's own.", "fn f(&self) { let g = self.m.lock(); … }", "fn f(&self) { let t = TYPE.lock(); … }";
    Rstk, "RSTK", Concurrency, "Lock a lock of the object instead of the one for all objects.", "fn f(&self) { let g = TABLE.lock(); … }", "fn f(&self) { let o = self.own.lock(); … }";
    Ask, "ASK", Concurrency, "Hold a lock of the type throughout a method that did not take it.", "fn f(&self) { … }", "fn f(&self) { let g = self.m.lock(); … }";
    Rsk, "RSK", Concurrency, "Take away the exclusion of a whole method.", "fn f(&self) { let g = self.m.lock(); … }", "fn f(&self) { … }";
    Rsb, "RSB", Concurrency, "Take away the exclusion of a block.", "{ let g = m.lock(); … }", "{ … }";
    Rvk, "RVK", Concurrency, "Weaken a memory ordering, remove a fence, or let several threads initialise.", "x.load(Acquire)", "x.load(Relaxed)";
    Rfu, "RFU", Concurrency, "Keep a lock on an early return or a panic.", "return x", "return { forget(guard); x }";
    Rxo, "RXO", Concurrency, "Use another channel end, semaphore, barrier, condition or atomic of the same type.", "self.not_full.notify_one()", "self.not_empty.notify_one()";
    Eelo, "EELO", Concurrency, "Exchange two locks that are held together but taken apart.", "let a = x.lock(); f(); let b = y.lock();", "let b = y.lock(); let a = x.lock(); f();";
    Shcr, "SHCR", Concurrency, "Shift a critical region up or down by one statement.", "f(); let g = m.lock(); a(); b();", "let g = m.lock(); f(); a(); drop(g); b();";
    Skcr, "SKCR", Concurrency, "Shrink a critical region by one statement.", "let g = m.lock(); a(); b();", "let g = m.lock(); a(); drop(g); b();";
    Excr, "EXCR", Concurrency, "Expand a critical region by one statement.", "f(); let g = m.lock(); a();", "let g = m.lock(); f(); a();";
    Spcr, "SPCR", Concurrency, "Split a critical region in two.", "let g = m.lock(); a(); b();", "let g = m.lock(); a(); drop(g); let g = m.lock(); b();";
}

impl Operator {
    /// Every operator, in the order of the catalogue.
    pub fn all() -> impl Iterator<Item = Operator> {
        CATALOGUE.iter().map(|entry| entry.operator)
    }

    fn entry(self) -> &'static Entry {
        &CATALOGUE[self as usize]
    }

    pub fn code(self) -> &'static str {
        self.entry().code
    }

    pub fn category(self) -> Category {
        self.entry().category
    }

    /// What the operator does, as one sentence.
    pub fn sentence(self) -> &'static str {
        self.entry().sentence
    }

    /// A piece of code and what the operator may make of it.
    pub fn example(self) -> (&'static str, &'static str) {
        (self.entry().before, self.entry().after)
    }

    /// Finds an operator by its code, in any case.
    pub fn from_code(code: &str) -> Option<Operator> {
        Operator::all().find(|operator| operator.code().eq_ignore_ascii_case(code))
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_operator_stands_in_its_own_row() {
        for (index, operator) in Operator::all().enumerate() {
            assert_eq!(operator as usize, index, "{operator}");
            assert_eq!(format!("{operator:?}").to_uppercase(), operator.code());
            assert!(operator.sentence().ends_with('.'), "{operator}");
            assert_ne!(operator.example().0, operator.example().1, "{operator}");
        }
    }

    #[test]
    fn codes_are_found_in_any_case_and_are_unique() {
        let codes: BTreeSet<&str> = Operator::all().map(Operator::code).collect();
        assert_eq!(codes.len(), Operator::all().count());
        assert_eq!(Operator::from_code("aor"), Some(Operator::Aor));
        assert_eq!(Operator::from_code("nope"), None);
    }

    #[test]
    fn every_category_has_an_operator_and_only_extended_is_off() {
        for category in Category::ALL {
            assert!(Operator::all().any(|operator| operator.category() == category));
            assert_eq!(Category::from_name(category.name()), Some(category));
            assert_eq!(category.is_default(), category.name() != "extended");
        }
    }
}
