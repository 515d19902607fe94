//! "Did you mean …?"

use strsim::osa_distance;

/// The candidate that `word` is most likely a misspelling of, if any is near enough.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let word = word.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (osa_distance(&word, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.chars().count().div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_words_are_suggested() {
        let keys = ["exclude", "exclude-re", "exclude-file", "jobs"];
        assert_eq!(nearest("exclude_re", keys), Some("exclude-re"));
        assert_eq!(nearest("job", keys), Some("jobs"));
        assert_eq!(nearest("Exlude", keys), Some("exclude"));
        assert_eq!(nearest("colour", keys), None);
    }
}
