//! Which operators a run uses, from the words of `--operators`.
//!
//! A word is a code (`AOR`) or a category (`condition`), in any case. Words with `+` add to the
//! selection and words with `-` take away from it, from left to right. If some word has no sign,
//! the plain words are the whole selection that the signed ones then change; otherwise the signed
//! ones change the default, which is all but `extended`. `default` and `all` are words too.

use std::collections::BTreeSet;

use crate::operator::{Category, Operator};

/// A set of operators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorSelection {
    operators: BTreeSet<Operator>,
}

/// A word of `--operators` that names nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no operator or category is called `{word}`{}", hint(.near))]
pub struct UnknownOperator {
    pub word: String,
    /// The known words that are most like it, best first.
    pub near: Vec<String>,
}

fn hint(near: &[String]) -> String {
    match near {
        [] => String::from(" (`cargo atropos operators` lists them)"),
        [one] => format!("; did you mean `{one}`?"),
        [init @ .., last] => format!("; did you mean `{}` or `{last}`?", init.join("`, `")),
    }
}

impl Default for OperatorSelection {
    fn default() -> Self {
        Operator::all()
            .filter(|operator| operator.category().is_default())
            .collect()
    }
}

impl FromIterator<Operator> for OperatorSelection {
    fn from_iter<I: IntoIterator<Item = Operator>>(operators: I) -> Self {
        OperatorSelection {
            operators: operators.into_iter().collect(),
        }
    }
}

impl OperatorSelection {
    pub fn all() -> OperatorSelection {
        Operator::all().collect()
    }

    pub fn contains(&self, operator: Operator) -> bool {
        self.operators.contains(&operator)
    }

    pub fn iter(&self) -> impl Iterator<Item = Operator> + '_ {
        self.operators.iter().copied()
    }

    /// Reads lists of words; each list may hold several, separated by commas or spaces.
    pub fn parse<S: AsRef<str>>(lists: &[S]) -> Result<OperatorSelection, UnknownOperator> {
        let words: Vec<&str> = lists
            .iter()
            .flat_map(|list| list.as_ref().split([',', ' ']))
            .filter(|word| !word.is_empty())
            .collect();
        let is_signed = |word: &&str| word.starts_with(['+', '-']);
        let mut operators = BTreeSet::new();
        if words.iter().all(is_signed) {
            operators = OperatorSelection::default().operators;
        }
        for word in words.iter().filter(|word| !is_signed(word)) {
            operators.extend(named(word)?);
        }
        for word in words.iter().filter(|word| is_signed(word)) {
            let changed = named(&word[1..])?;
            if word.starts_with('+') {
                operators.extend(changed);
            } else {
                operators.retain(|operator| !changed.contains(operator));
            }
        }
        Ok(OperatorSelection { operators })
    }
}

/// The operators that a word without sign stands for.
fn named(word: &str) -> Result<Vec<Operator>, UnknownOperator> {
    if let Some(operator) = Operator::from_code(word) {
        return Ok(vec![operator]);
    }
    if let Some(category) = Category::from_name(word) {
        return Ok(Operator::all()
            .filter(|operator| operator.category() == category)
            .collect());
    }
    match word.to_ascii_lowercase().as_str() {
        "all" => Ok(Operator::all().collect()),
        "default" => Ok(OperatorSelection::default().iter().collect()),
        _ => Err(UnknownOperator {
            word: word.to_string(),
            near: near_matches(word),
        }),
    }
}

/// At most three known words within two edits (one, for words of up to three letters), or
/// beginning alike.
fn near_matches(word: &str) -> Vec<String> {
    let lower = word.to_ascii_lowercase();
    let allowed = if lower.len() <= 3 { 1 } else { 2 };
    let codes = Operator::all().map(|operator| operator.code().to_string());
    let categories = Category::ALL
        .into_iter()
        .map(|category| category.name().to_string());
    let mut scored: Vec<(usize, String)> = codes
        .chain(categories)
        .filter_map(|known| {
            let candidate = known.to_ascii_lowercase();
            let distance = strsim::levenshtein(&lower, &candidate);
            let begins = lower.len() >= 3 && candidate.starts_with(&lower);
            (distance <= allowed || begins).then_some((distance, known))
        })
        .collect();
    scored.sort();
    scored.truncate(3);
    scored.into_iter().map(|(_, known)| known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(words: &str) -> String {
        let selection = OperatorSelection::parse(&[words]).expect(words);
        let codes: Vec<&str> = selection.iter().map(Operator::code).collect();
        codes.join(" ")
    }

    #[test]
    fn plain_words_are_the_whole_selection() {
        assert_eq!(codes("aor,ROR"), "AOR ROR");
        assert_eq!(codes("match sdl"), "SDL MAD MGR");
    }

    #[test]
    fn signed_words_change_the_default() {
        assert_eq!(codes(""), codes("default"));
        assert!(!codes("").contains("ABS"));
        assert!(codes("+extended").contains("ABS"));
        assert!(!codes("-condition").contains("ROR"));
        assert_eq!(codes("-all,+aor"), "AOR");
    }

    #[test]
    fn signed_words_change_plain_words_whatever_their_order() {
        assert_eq!(codes("-COI,condition"), "ROR COR COD");
    }

    #[test]
    fn an_unknown_word_is_named_with_what_is_near() {
        let error = OperatorSelection::parse(&["AOR,-conditon"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no operator or category is called `conditon`; did you mean `condition`?"
        );
        let error = OperatorSelection::parse(&["aox"]).unwrap_err();
        assert_eq!(error.near, ["AOD", "AOI", "AOR"]);
        let error = OperatorSelection::parse(&["+quantum"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no operator or category is called `quantum` (`cargo atropos operators` lists them)"
        );
    }
}
