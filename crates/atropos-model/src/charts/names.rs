//! Names: which may stand in OOAS text, and which the user probably meant.

use super::chart::{Chart, ChartAction, ChartText, Machine, Trigger};
use super::translate::in_predicates;
use crate::language::token::KEYWORDS;
use std::collections::{BTreeSet, HashMap};

/// Whether `word` can be a name in OOAS.
pub fn is_name(word: &str) -> bool {
    let mut characters = word.chars();
    characters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !KEYWORDS.contains(&word)
}

/// Letters of Latin alphabets and what they are in ASCII.
const LETTERS: [(&str, &str); 24] = [
    ("àáâãäåāăą", "a"),
    ("çćĉċč", "c"),
    ("ďđð", "d"),
    ("èéêëēĕėęě", "e"),
    ("ĝğġģ", "g"),
    ("ĥħ", "h"),
    ("ìíîïĩīĭįı", "i"),
    ("ĵ", "j"),
    ("ķ", "k"),
    ("ĺļľŀł", "l"),
    ("ñńņň", "n"),
    ("òóôõöøōŏő", "o"),
    ("ŕŗř", "r"),
    ("śŝşšș", "s"),
    ("ţťŧț", "t"),
    ("ùúûüũūŭůűų", "u"),
    ("ŵ", "w"),
    ("ýÿŷ", "y"),
    ("źżž", "z"),
    ("ß", "ss"),
    ("æ", "ae"),
    ("œ", "oe"),
    ("þ", "th"),
    ("ŋ", "ng"),
];

/// A letter in ASCII: without its accents, or by its number in Unicode; `_` for what is no letter or digit.
fn in_ascii(letter: char) -> String {
    if letter.is_ascii_alphanumeric() {
        return letter.to_string();
    }
    let lower = letter.to_lowercase().next().unwrap_or(letter);
    match LETTERS.iter().find(|(letters, _)| letters.contains(lower)) {
        Some((_, ascii)) if lower == letter => (*ascii).to_owned(),
        Some((_, ascii)) => ascii[..1].to_ascii_uppercase() + &ascii[1..],
        None if letter.is_alphanumeric() => format!("u{:04X}", u32::from(letter)),
        None => "_".to_owned(),
    }
}

/// A name that is as near to `words` as OOAS allows.
pub fn identifier(words: &str) -> String {
    let mut name: String = words.trim().chars().map(in_ascii).collect();
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    if KEYWORDS.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// Names as the user wrote them, with the names that stand for them in OOAS. Different names stay different.
#[derive(Debug, Default)]
pub struct Namer {
    given: HashMap<String, String>,
    taken: BTreeSet<String>,
}

impl Namer {
    /// Names that OOAS allows stay as they are, whatever else becomes alike.
    fn keep<'a>(written: impl IntoIterator<Item = &'a ChartText>) -> Namer {
        let mut namer = Namer::default();
        for text in written {
            if is_name(&text.text) {
                namer.taken.insert(text.text.clone());
            }
        }
        namer
    }

    fn rename(&mut self, text: &mut ChartText) {
        if !text.text.is_empty() && !is_name(&text.text) {
            text.text = self.name(&text.text);
        }
    }

    fn name(&mut self, written: &str) -> String {
        if let Some(given) = self.given.get(written) {
            return given.clone();
        }
        let plain = identifier(written);
        let numbered = (2..).map(|number| format!("{plain}_{number}"));
        let name = std::iter::once(plain.clone())
            .chain(numbered)
            .find(|name| !self.taken.contains(name))
            .unwrap_or(plain.clone());
        self.taken.insert(name.clone());
        self.given.insert(written.to_owned(), name.clone());
        name
    }
}

/// Gives machines, states, events, observations and objects names that OOAS allows. Names that already are some stay.
pub fn settle(chart: &mut Chart) {
    let mut classes = Namer::keep(chart.machines.iter().map(|machine| &machine.name));
    let mut objects = Namer::keep(chart.instances.iter().map(|instance| &instance.name));
    for instance in &mut chart.instances {
        classes.rename(&mut instance.class);
        objects.rename(&mut instance.name);
        for (_, object) in &mut instance.bindings {
            objects.rename(object);
        }
    }
    let mut whole = ChartText::new(chart.name.clone(), 0..0);
    classes.rename(&mut whole);
    chart.name = whole.text;
    // Events go from machine to machine, so that all share one list of names.
    let mut kept = Vec::new();
    for machine in &mut chart.machines {
        labels(machine, &mut |text| kept.push(text.clone()));
    }
    let mut namer = Namer::keep(&kept);
    for machine in &mut chart.machines {
        classes.rename(&mut machine.name);
        for reference in &mut machine.references {
            classes.rename(&mut reference.class);
        }
        labels(machine, &mut |text| namer.rename(text));
        states(machine);
    }
}

/// Names of states, also where a condition asks `In(…)`.
fn states(machine: &mut Machine) {
    let mut namer = Namer::keep(machine.states[1..].iter().map(|state| &state.name));
    let root = machine.name.clone();
    machine.states[0].name = root;
    for state in &mut machine.states[1..] {
        namer.rename(&mut state.name);
    }
    machine.expressions(&mut |text| {
        for (bytes, name) in in_predicates(&text.text).into_iter().rev() {
            if let Some(given) = namer.given.get(&name) {
                text.text.replace_range(bytes, &format!("In({given})"));
            }
        }
    });
}

/// Every name of an event, an observation or a delayed event.
fn labels(machine: &mut Machine, see: &mut dyn FnMut(&mut ChartText)) {
    for signature in machine.inputs.iter_mut().chain(&mut machine.outputs) {
        see(&mut signature.name);
    }
    for state in &mut machine.states {
        for transition in &mut state.transitions {
            if let Trigger::Event(event) = &mut transition.trigger {
                see(event);
            }
        }
    }
    machine.each_action(&mut |action| match action {
        ChartAction::Raise(event)
        | ChartAction::SendSelf(event)
        | ChartAction::Send { event, .. } => see(event),
        ChartAction::Delay { event, id, .. } => {
            see(event);
            see(id);
        }
        ChartAction::Cancel(id) => see(id),
        ChartAction::Observe { name, .. } => see(name),
        ChartAction::Assign { .. } | ChartAction::If(_) | ChartAction::Statement(_) => {}
    });
}

/// Advice for a word that is no name.
pub fn name_advice(word: &str) -> String {
    if KEYWORDS.contains(&word) {
        return format!(
            "`{word}` is a word of the model language; write for example `{word}_` instead"
        );
    }
    let repaired: String = word
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let repaired = if repaired.starts_with(|c: char| c.is_ascii_digit()) {
        format!("_{repaired}")
    } else {
        repaired
    };
    format!(
        "names have letters, digits and `_` and start with no digit; write for example `{repaired}`"
    )
}

/// The known name that is nearest to `word`, if one is near.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|name| (strsim::levenshtein(word, name), name))
        .filter(|&(distance, name)| distance <= 1 + name.len().min(word.len()) / 4)
        .min()
        .map(|(_, name)| name)
}

/// "did you mean" advice, or the list of what there is.
pub fn meant<'a>(word: &str, known: impl IntoIterator<Item = &'a str>, nothing: &str) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match nearest(word, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None if known.is_empty() => nothing.to_owned(),
        None => format!("there are: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_recognised_and_a_stranger_is_not() {
        assert_eq!(nearest("Armd", ["Alarm", "Armed"]), Some("Armed"));
        assert_eq!(nearest("Quiet", ["Alarm", "Armed"]), None);
        assert_eq!(meant("Quiet", ["A", "B"], ""), "there are: A, B");
    }

    #[test]
    fn names_that_become_alike_are_told_apart() {
        let mut names =
            ["go!", "go?", "go_", "g\u{f6}", "启动"].map(|name| ChartText::new(name, 0..0));
        let mut namer = Namer::keep(&names);
        names.iter_mut().for_each(|name| namer.rename(name));
        let names = names.map(|name| name.text);
        assert_eq!(names, ["go__2", "go__3", "go_", "go", "u542Fu52A8"]);
    }

    #[test]
    fn keywords_and_dashes_are_no_names() {
        assert!(is_name("Closed_1"));
        assert!(!is_name("end"));
        assert!(!is_name("a-b"));
        assert!(name_advice("9-a").contains("`_9_a`"));
    }
}
