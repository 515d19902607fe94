//! Synthetic models of the sizes that the MoMuT paper reports for its industrial ones (Table 3), which are not public.
//!
//! [`generate`] is a pure function from a [`PaperModel`] and a seed to OOAS text. Each text has a core that behaves plausibly for its domain (a bucket
//! loader, a measurement device, a defibrillator, a middleware, a railway station) and supervision code that brings it to its size. Every text
//! says in its head that it is synthetic.
//!
//! What is matched: objects, attributes and controllables exactly, statements, mutants and the
//! size of a state within a few percent (`measure` counts them). The paper's
//! figures suggest how they were counted, and we count likewise: M6 and M7 share one set of classes, and 404 - 125 = 279 and 3127 - 2847 = 280, so
//! attributes are declarations, one per object in the class that makes them all, and about 280 in the shared classes; M7 has 1480 controllables more
//! than M6 and 1480 mutants more, so each controllable is a guarded command of its own.

mod class;
mod controller;
mod count;
mod filler;
mod middleware;
mod railway;
mod random_model;

pub use count::{Counts, count};

use crate::random::SplitMix64;
use class::ClassText;
use filler::FillerShare;
pub use random_model::random_model;

/// Which of the paper's models the text stands in for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PaperModel {
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
pub struct ModelSize {
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

impl PaperModel {
    /// All of them, in the paper's order.
    pub const ALL: [PaperModel; 6] = [
        PaperModel::M2,
        PaperModel::M3,
        PaperModel::M4,
        PaperModel::M5,
        PaperModel::M6,
        PaperModel::M7,
    ];

    /// The paper's figures.
    pub fn size(self) -> ModelSize {
        let (objects, statements, attributes, state_kib, controllables, mutants) = match self {
            PaperModel::M2 => (2, 748, 98, 0.8, 8, 1417),
            PaperModel::M3 => (1, 877, 64, 0.5, 26, 1297),
            PaperModel::M4 => (2, 1215, 67, 0.4, 34, 1142),
            PaperModel::M5 => (151, 3831, 479, 9.7, 14, 1505),
            PaperModel::M6 => (125, 4798, 404, 22.3, 172, 2044),
            PaperModel::M7 => (2847, 26385, 3127, 184.9, 1652, 3524),
        };
        ModelSize {
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
            PaperModel::M2 => "a bucket loader's control loop",
            PaperModel::M3 => "a measurement device's remote control",
            PaperModel::M4 => "a defibrillator's diagnostic logic",
            PaperModel::M5 => "a safety-critical middleware",
            PaperModel::M6 => "a minimal railway station",
            PaperModel::M7 => "a mid-sized railway station",
        }
    }
}

impl std::fmt::Display for PaperModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::str::FromStr for PaperModel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        PaperModel::ALL
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
    classes: Vec<ClassText>,
    /// The last line: how the classes are ranked.
    order: String,
    /// Which classes get supervision, and how much of it falls to each (weights).
    supervised: Vec<(usize, usize)>,
}

/// How much supervision a whole model gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fill {
    attributes: usize,
    rules: usize,
    traces: usize,
    /// How many in a thousand of the attributes take eight bytes instead of one.
    wide: usize,
}

impl Fill {
    /// Where the search starts: near the end of it, so that it is short.
    fn guess(kind: PaperModel) -> Fill {
        let (attributes, rules, traces, wide) = match kind {
            PaperModel::M2 => (92, 15, 439, 1000),
            PaperModel::M3 => (61, 14, 249, 1000),
            PaperModel::M4 => (61, 8, 441, 806),
            PaperModel::M5 => (314, 22, 3173, 4),
            PaperModel::M6 => (192, 18, 2788, 915),
            PaperModel::M7 => (193, 16, 4632, 160),
        };
        Fill {
            attributes,
            rules,
            traces,
            wide,
        }
    }

    /// A better fill, given what this one measured.
    fn corrected(self, size: &ModelSize, measured: &Measured) -> Fill {
        let lacking = |wanted: usize, found: usize| wanted as f64 - found as f64;
        let counts = &measured.counts;
        let rules = (lacking(size.mutants, counts.mutants) / MUTANTS_PER_RULE).round();
        let statements = lacking(size.statements, counts.statements) - rules * STATEMENTS_PER_RULE;
        let bytes = size.state_kib * 1024.0 - measured.bytes as f64;
        Fill {
            attributes: moved(self.attributes, lacking(size.attributes, counts.attributes)),
            rules: moved(self.rules, rules),
            traces: moved(self.traces, statements.round()),
            wide: moved(self.wide, bytes / measured.bytes_per_wide).min(1000),
        }
    }
}

/// What the search for the right fill looks at.
struct Measured {
    counts: Counts,
    bytes: usize,
    /// About how many bytes one more in a thousand wide attributes adds.
    bytes_per_wide: f64,
}

/// Rounds of the search; it ends before where nothing changes any more.
const ROUNDS: usize = 6;

/// The text of a synthetic model of that kind; the same seed gives the same text.
pub fn generate(kind: PaperModel, seed: u64) -> String {
    let size = kind.size();
    let draft = match kind {
        PaperModel::M2 | PaperModel::M3 | PaperModel::M4 => controller::draft(kind, seed),
        PaperModel::M5 => middleware::draft(),
        PaperModel::M6 | PaperModel::M7 => railway::draft(railway::numbers(kind), seed),
    };
    // The supervision code is sized by measuring the text and making up the difference.
    let head = head(kind, seed);
    let mut fill = Fill::guess(kind);
    let mut text = write(&head, &draft, fill, seed);
    for _ in 0..ROUNDS {
        let corrected = fill.corrected(&size, &weigh(&text));
        let settled = corrected.attributes == fill.attributes
            && corrected.rules == fill.rules
            && corrected.traces.abs_diff(fill.traces) <= 3
            && corrected.wide.abs_diff(fill.wide) < 50;
        if settled {
            break;
        }
        fill = corrected;
        text = write(&head, &draft, fill, seed);
    }
    text
}

/// A railway station like M7 but with that many objects (50 at least), to see how costs grow with them. The shared classes are M7's.
pub fn station(objects: usize, seed: u64) -> String {
    let numbers = railway::scaled(objects);
    let head = format!(
        "# SYNTHETIC MODEL: a railway station of {} objects, generated with seed {seed}. Nothing here describes a real system.\n\n",
        numbers.objects
    );
    let draft = railway::draft(numbers, seed);
    write(&head, &draft, Fill::guess(PaperModel::M7), seed)
}

fn moved(number: usize, by: f64) -> usize {
    (number as f64 + by).max(0.0) as usize
}

fn weigh(text: &str) -> Measured {
    let mut diagnostics = crate::language::Diagnostics::default();
    let mut counts = count(&crate::language::parse(text, &mut diagnostics));
    let Ok(model) = crate::check::load(text) else {
        return Measured {
            counts,
            bytes: 0,
            bytes_per_wide: f64::INFINITY,
        };
    };
    counts.mutants = model.mutants.list.len();
    // Levels are what an attribute's width changes: 1 byte or 8.
    let levels = |object: &crate::model::lowered::Object| {
        let class = &model.classes[object.class.0 as usize];
        class
            .attributes
            .iter()
            .filter(|attribute| attribute.name.starts_with("level_"))
            .count()
    };
    let levels: usize = model.objects.iter().map(levels).sum();
    Measured {
        counts,
        bytes: model.state_size(),
        bytes_per_wide: (levels * 7) as f64 / 1000.0,
    }
}

/// The counts of a text; no mutants are counted where it is no good model.
#[cfg(test)]
pub fn measure(text: &str) -> Counts {
    weigh(text).counts
}

/// About what a rule adds; the search in [`generate`] corrects the rest.
const STATEMENTS_PER_RULE: f64 = 6.2;
const MUTANTS_PER_RULE: f64 = 54.0;

fn write(head: &str, draft: &Draft, fill: Fill, seed: u64) -> String {
    let mut random = SplitMix64::new(seed ^ 0x5EED);
    let mut classes = draft.classes.clone();
    let whole: usize = draft.supervised.iter().map(|(_, weight)| weight).sum();
    let mut before = 0;
    let mut turns = Vec::new();
    for &(index, weight) in &draft.supervised {
        // Shares by running sums, so that they add up to the whole.
        let share = |amount: usize| amount * (before + weight) / whole - amount * before / whole;
        let share = FillerShare {
            attributes: share(fill.attributes),
            rules: share(fill.rules),
            traces: share(fill.traces),
            wide: share(fill.attributes) * fill.wide / 1000,
        };
        turns.push(filler::supervise(&mut classes[index], share, &mut random));
        before += weight;
    }
    let mut types = vec![
        "t_Level = int[0..15]".to_owned(),
        "t_Count = int[0..10000000000]".to_owned(),
    ];
    types.extend(draft.types.iter().cloned());
    types.extend(turns);
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
        "{head}{consts}types\n  {}\nsystem\n  {}\n",
        types.join(";\n  "),
        draft.order
    )
}

fn head(kind: PaperModel, seed: u64) -> String {
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
