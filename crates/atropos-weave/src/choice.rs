//! The mutants of a point that are in the text, and how the runtime's answer picks one of them.

use atropos_mutants::mutant::MutantId;
use atropos_values::interface::{AT, ON};

/// One mutant with the code that stands for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    /// Its number within the point, from 1: what the runtime answers if it acts.
    pub number: u32,
    pub id: MutantId,
    pub code: String,
}

/// What there is to choose from at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WovenChoice {
    pub first: MutantId,
    /// How many mutants the point has, those that were dropped included.
    pub count: u32,
    /// Never empty.
    pub variants: Vec<Variant>,
}

impl WovenChoice {
    /// The call that asks the runtime without showing it values.
    pub fn plain_call(&self) -> String {
        let call = if self.count == 1 { ON } else { AT };
        format!("{call}({})", self.first.0)
    }

    /// The pattern that picks the original from the answer of [`WovenChoice::plain_call`].
    pub fn original_of_plain_call(&self) -> String {
        match self.count {
            1 => "false".to_owned(),
            _ => self.original(),
        }
    }

    /// The pattern that picks the original from a number: whatever is no variant. It stands first,
    /// so that the types of the others are measured against it and not the other way round.
    pub fn original(&self) -> String {
        let mut pattern = "0".to_owned();
        for number in 1..=self.count {
            if !self.variants.iter().any(|variant| variant.number == number) {
                pattern.push_str(&format!(" | {number}"));
            }
        }
        pattern.push_str(&format!(" | {}..", self.count + 1));
        pattern
    }

    /// The pattern of a variant, behind that of the original.
    pub fn pattern(&self, variant: &Variant) -> String {
        match self.variants.last() {
            Some(last) if last == variant => "_".to_owned(),
            _ => variant.number.to_string(),
        }
    }

    /// The letters of the variants in the order of their numbers; a dot for those not in the text.
    pub fn letters(&self, letter_of: impl Fn(u32) -> char) -> String {
        (1..=self.count)
            .map(|number| {
                let is_there = self.variants.iter().any(|variant| variant.number == number);
                if is_there { letter_of(number) } else { '.' }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(count: u32, numbers: &[u32]) -> WovenChoice {
        let variants = numbers.iter().map(|&number| Variant {
            number,
            id: MutantId(6 + number),
            code: String::new(),
        });
        WovenChoice {
            first: MutantId(7),
            count,
            variants: variants.collect(),
        }
    }

    #[test]
    fn the_original_is_whatever_is_no_variant() {
        assert_eq!(choice(3, &[1, 2, 3]).original(), "0 | 4..");
        assert_eq!(choice(3, &[2]).original(), "0 | 1 | 3 | 4..");
    }

    #[test]
    fn the_last_variant_takes_what_is_left() {
        let choice = choice(3, &[1, 2]);
        assert_eq!(choice.pattern(&choice.variants[0]), "1");
        assert_eq!(choice.pattern(&choice.variants[1]), "_");
    }

    #[test]
    fn a_point_with_one_mutant_is_on_or_off() {
        assert_eq!(choice(1, &[1]).plain_call(), "::atropos_runtime::on(7)");
        assert_eq!(choice(2, &[2]).plain_call(), "::atropos_runtime::at(7)");
    }

    #[test]
    fn letters_leave_out_what_was_dropped() {
        let letters = choice(3, &[1, 3]).letters(|number| char::from(b'a' + number as u8));
        assert_eq!(letters, "b.d");
    }
}
