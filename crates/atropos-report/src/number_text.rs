//! Numbers as people say them.

/// A length of time with as many digits as matter: `0.07 ms`, `0.42 s`, `12.3 s`, `3 min 5 s`, `2 h 10 min`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    if seconds > 0.0 && seconds < 0.009_995 {
        format!("{:.2} ms", seconds * 1e3)
    } else if seconds < 9.995 {
        format!("{seconds:.2} s")
    } else if seconds < 99.95 {
        format!("{seconds:.1} s")
    } else if whole < 3600 {
        format!("{} min {} s", whole / 60, whole % 60)
    } else {
        format!("{} h {} min", whole / 3600, whole % 3600 / 60)
    }
}

/// A part of a whole in per cent. Never rounded up to 100 nor down to 0 while something is missing.
pub fn percent(ratio: f64) -> String {
    let tenths = (ratio * 1000.0).round();
    let tenths = if ratio < 1.0 {
        tenths.min(999.0)
    } else {
        tenths
    };
    let tenths = if ratio > 0.0 { tenths.max(1.0) } else { tenths };
    format!("{:.1} %", tenths / 10.0)
}

/// `1 mutant`, `2 mutants`.
pub fn count(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// A text on one line of at most `width` characters, its end cut off if need be.
pub fn shortened(text: &str, width: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= width {
        return line;
    }
    let kept: String = line.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// A text in lines of at most `width` characters, as far as its words allow.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("extraordinary é", 4), ["extraordinary", "é"]);
        assert_eq!(wrapped("", 4), [""; 0]);
    }

    #[test]
    fn durations_have_the_digits_that_matter() {
        for (seconds, expected) in [
            (0.0, "0.00 s"),
            (0.000_074, "0.07 ms"),
            (0.009_99, "9.99 ms"),
            (0.01, "0.01 s"),
            (0.4239, "0.42 s"),
            (9.996, "10.0 s"),
            (61.04, "61.0 s"),
            (125.4, "2 min 5 s"),
            (3599.7, "1 h 0 min"),
            (7800.0, "2 h 10 min"),
        ] {
            assert_eq!(duration(seconds), expected);
        }
    }

    #[test]
    fn only_all_is_100_per_cent_and_only_nothing_is_0() {
        for (ratio, expected) in [
            (1.0, "100.0 %"),
            (0.9999, "99.9 %"),
            (0.8449, "84.5 %"),
            (0.00001, "0.1 %"),
            (0.0, "0.0 %"),
        ] {
            assert_eq!(percent(ratio), expected);
        }
    }

    #[test]
    fn one_is_not_a_plural() {
        assert_eq!(count(0, "mutant"), "0 mutants");
        assert_eq!(count(1, "mutant"), "1 mutant");
        assert_eq!(count(2, "mutant"), "2 mutants");
    }

    #[test]
    fn a_shortened_text_fits_and_shows_that_it_was_cut() {
        assert_eq!(shortened("a\n   b", 10), "a b");
        assert_eq!(shortened("abcdefghij", 10), "abcdefghij");
        assert_eq!(shortened("abcdefghijk", 10), "abcdefghi…");
    }
}
