//! Synthetic models of the sizes that the MoMuT paper reports for its industrial ones (Table 3), which are not public.
//!
//! [`generate`] is a pure function from a [`Kind`] and a seed to OOAS text. Each text has a core that behaves plausibly for its domain (a bucket
//! loader, a measurement device, a defibrillator, a middleware, a railway station) and supervision code that brings it to its size. Every text
//! says in its head that it is synthetic.
//!
//! What is matched: objects, attributes and controllables exactly, statements and mutants within a few percent (`measure` counts them). The paper's
//! figures suggest how they were counted, and we count likewise: M6 and M7 share one set of classes, and 404 - 125 = 279 and 3127 - 2847 = 280, so
//! attributes are declarations, one per object in the class that makes them all, and about 280 in the shared classes; M7 has 1480 controllables more
//! than M6 and 1480 mutants more, so each controllable is a guarded command of its own.

mod class;
mod controller;
mod count;
mod filler;
mod middleware;
mod railway;
mod random;

pub use count::{Counts, count};

use class::Class;
use filler::Share;
use random::Random;

/// Which of the paper's models the text stands in for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The bucket loader: few inputs with many parameter values, discrete time.
    M2,
    /// The measurement device: a remote-control protocol, discrete time.
    M3,
    /// The defibrillator: diagnostic logic, discrete time.
    M4,
    /// The middleware: many objects that call each other, time given by the tester.
    M5,
    /// The minimal railway station.
    M6,
    /// The large railway station.
    M7,
}

/// What Table 3 and Table 4 of the paper say of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// Objects.
    pub objects: usize,
    /// Statements.
    pub statements: usize,
    /// Attributes.
    pub attributes: usize,
    /// Bytes of a state, in KiB.
    pub state_kib: f64,
    /// Controllable events.
    pub controllables: usize,
    /// Mutants.
    pub mutants: usize,
}

impl Kind {
    /// All of them, in the paper's order.
    pub const ALL: [Kind; 6] = [Kind::M2, Kind::M3, Kind::M4, Kind::M5, Kind::M6, Kind::M7];

    /// The paper's figures.
    pub fn size(self) -> Size {
        let (objects, statements, attributes, state_kib, controllables, mutants) = match self {
            Kind::M2 => (2, 748, 98, 0.8, 8, 1417),
            Kind::M3 => (1, 877, 64, 0.5, 26, 1297),
            Kind::M4 => (2, 1215, 67, 0.4, 34, 1142),
            Kind::M5 => (151, 3831, 479, 9.7, 14, 1505),
            Kind::M6 => (125, 4798, 404, 22.3, 172, 2044),
            Kind::M7 => (2847, 26385, 3127, 184.9, 1652, 3524),
        };
        Size {
            objects,
            statements,
            attributes,
            state_kib,
            controllables,
            mutants,
        }
    }

    /// What the model is about.
    pub fn title(self) -> &'static str {
        match self {
            Kind::M2 => "a bucket loader's control loop",
            Kind::M3 => "a measurement device's remote control",
            Kind::M4 => "a defibrillator's diagnostic logic",
            Kind::M5 => "a safety-critical middleware",
            Kind::M6 => "a minimal railway station",
            Kind::M7 => "a mid-sized railway station",
        }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::str::FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Kind::ALL
            .into_iter()
            .find(|kind| kind.to_string().eq_ignore_ascii_case(text))
            .ok_or_else(|| format!("there is no synthetic model `{text}`; there are m2 to m7"))
    }
}

/// A model before it is written: constants, types and classes.
#[derive(Clone, Debug, Default)]
struct Draft {
    consts: Vec<String>,
    types: Vec<String>,
    classes: Vec<Class>,
    /// The last line: how the classes are ranked.
    order: String,
    /// Which classes get supervision, and how much of it falls to each (weights).
    supervised: Vec<(usize, usize)>,
}

/// How much supervision a whole model gets.
#[derive(Clone, Copy, Debug, Default)]
struct Fill {
    attributes: usize,
    rules: usize,
    traces: usize,
}

/// The text of a synthetic model of that kind; the same seed gives the same text.
pub fn generate(kind: Kind, seed: u64) -> String {
    let size = kind.size();
    let draft = match kind {
        Kind::M2 | Kind::M3 | Kind::M4 => controller::draft(kind, seed),
        Kind::M5 => middleware::draft(),
        Kind::M6 | Kind::M7 => railway::draft(kind, seed),
    };
    // The supervision code is sized by measuring: first without any, then with the difference made up.
    let mut fill = Fill::default();
    for _ in 0..6 {
        let counts = measure(&write(kind, &draft, fill, seed));
        let lacking = |wanted: usize, found: usize| wanted as f64 - found as f64;
        let mutants = lacking(size.mutants, counts.mutants);
        let statements = lacking(size.statements, counts.statements);
        let rules = (mutants / MUTANTS_PER_RULE).round();
        let traces = (statements - rules * STATEMENTS_PER_RULE).round();
        fill.attributes = moved(fill.attributes, lacking(size.attributes, counts.attributes));
        fill.rules = moved(fill.rules, rules);
        fill.traces = moved(fill.traces, traces);
    }
    write(kind, &draft, fill, seed)
}

fn moved(number: usize, by: f64) -> usize {
    (number as f64 + by).max(0.0) as usize
}

/// The counts of a text.
pub fn measure(text: &str) -> Counts {
    let mut diagnostics = crate::language::Diagnostics::default();
    let mut counts = count(&crate::language::parse(text, &mut diagnostics));
    if let Ok(model) = crate::check::load(text) {
        counts.mutants = model.mutants.list.len();
    }
    counts
}

/// About what a rule adds; the search in [`generate`] corrects the rest.
const STATEMENTS_PER_RULE: f64 = 6.2;
const MUTANTS_PER_RULE: f64 = 54.0;

fn write(kind: Kind, draft: &Draft, fill: Fill, seed: u64) -> String {
    let mut random = Random::new(seed ^ 0x5EED);
    let mut classes = draft.classes.clone();
    let whole: usize = draft.supervised.iter().map(|(_, weight)| weight).sum();
    let mut before = 0;
    for &(index, weight) in &draft.supervised {
        // Shares by running sums, so that they add up to the whole.
        let share = |amount: usize| amount * (before + weight) / whole - amount * before / whole;
        let share = Share {
            attributes: share(fill.attributes),
            rules: share(fill.rules),
            traces: share(fill.traces),
            wide: wide(kind, share(fill.attributes)),
        };
        filler::supervise(&mut classes[index], share, &mut random);
        before += weight;
    }
    let mut types = vec![
        "t_Level = int[0..15]".to_owned(),
        "t_Count = int[0..1000000]".to_owned(),
    ];
    types.extend(draft.types.iter().cloned());
    types.extend(
        classes
            .iter()
            .map(|class| class.print().trim_start().to_owned()),
    );
    let consts = match draft.consts.is_empty() {
        true => String::new(),
        false => format!("consts\n  {}\n", draft.consts.join(";\n  ")),
    };
    format!(
        "{}{consts}types\n  {}\nsystem\n  {}\n",
        head(kind, seed),
        types.join(";\n  "),
        draft.order
    )
}

/// How many of a class's supervision attributes take four bytes, so that the state has about the paper's size.
fn wide(kind: Kind, attributes: usize) -> usize {
    match kind {
        Kind::M2 | Kind::M3 => attributes * 9 / 10,
        Kind::M4 => attributes * 8 / 10,
        Kind::M5 => attributes / 3,
        Kind::M6 | Kind::M7 => attributes / 4,
    }
}

fn head(kind: Kind, seed: u64) -> String {
    let size = kind.size();
    format!(
        "# SYNTHETIC MODEL: {title}, generated with seed {seed} as a stand-in for {kind} of the MoMuT paper, which is not public.\n# Nothing here describes a real system. The size is the paper's: {} objects, {} statements, {} attributes, {} controllables.\n\n",
        size.objects,
        size.statements,
        size.attributes,
        size.controllables,
        title = kind.title(),
    )
}

#[cfg(test)]
mod tests;
