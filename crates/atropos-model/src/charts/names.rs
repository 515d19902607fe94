//! Names: which may stand in OOAS text, and which the user probably meant.

use crate::language::token::KEYWORDS;

/// Whether `word` can be a name in OOAS.
pub fn is_name(word: &str) -> bool {
    let mut characters = word.chars();
    characters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !KEYWORDS.contains(&word)
}

/// A name that is as near to `words` as OOAS allows.
pub fn identifier(words: &str) -> String {
    let letter = |c: char| match c.is_ascii_alphanumeric() {
        true => c,
        false => '_',
    };
    let mut name: String = words.trim().chars().map(letter).collect();
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    if KEYWORDS.contains(&name.as_str()) {
        name.push('_');
    }
    name
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
    fn keywords_and_dashes_are_no_names() {
        assert!(is_name("Closed_1"));
        assert!(!is_name("end"));
        assert!(!is_name("a-b"));
        assert!(name_advice("9-a").contains("`_9_a`"));
    }
}
