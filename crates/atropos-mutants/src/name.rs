//! How mutants are called: for people (`src/lib.rs:12:9: replace + with - in Account::deposit
//! [AOR]`), and by a key that stays the same while lines move, so that a later run knows what an
//! earlier one found out.

use std::collections::HashMap;

use crate::mutant::{FileMutants, Mutant, Point};
use crate::source::{one_line, shortened};

/// The name that lists and filters use.
pub fn display_name(file: &str, point: &Point, mutant: &Mutant) -> String {
    let place = if point.function.is_empty() {
        String::new()
    } else {
        format!(" in {}", point.function)
    };
    format!(
        "{file}:{}:{}: {}{place} [{}]",
        mutant.line, mutant.column, mutant.summary, mutant.operator
    )
}

/// The text that a mutant replaces, on one line and not too long.
pub fn shown_original(text: &str, mutant: &Mutant) -> String {
    shortened(&one_line(mutant.span.text(text)), 200)
}

/// A key for every mutant of a file: one list per point, in their order.
///
/// It is made of the file's name, the function, the operator, the text before and after, and the
/// number of the mutant among those that agree in all of these; so it survives edits elsewhere.
pub fn keys(file: &str, text: &str, found: &FileMutants) -> Vec<Vec<String>> {
    let mut occurrences: HashMap<u128, u32> = HashMap::new();
    let mut key = |point: &Point, mutant: &Mutant| {
        let original = one_line(mutant.span.text(text));
        let parts = [
            file,
            &point.function,
            mutant.operator.code(),
            &mutant.summary,
            &original,
            &mutant.replacement,
        ];
        let common = parts.iter().fold(FNV_OFFSET, |hash, part| {
            fnv(fnv(hash, part.as_bytes()), &[0xff])
        });
        let occurrence = occurrences.entry(common).or_insert(0);
        *occurrence += 1;
        format!("{:032x}", fnv(common, &occurrence.to_le_bytes()))
    };
    found
        .points
        .iter()
        .map(|point| {
            point
                .mutants
                .iter()
                .map(|mutant| key(point, mutant))
                .collect()
        })
        .collect()
}

const FNV_OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const FNV_PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// FNV-1a with 128 bits: the same on every machine and in every version.
fn fnv(hash: u128, bytes: &[u8]) -> u128 {
    bytes.iter().fold(hash, |hash, byte| {
        (hash ^ u128::from(*byte)).wrapping_mul(FNV_PRIME)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FindOptions, find_mutants};

    fn find(text: &str) -> FileMutants {
        find_mutants(text, &FindOptions::default()).expect(text)
    }

    fn all_keys(text: &str) -> Vec<String> {
        keys("src/lib.rs", text, &find(text)).concat()
    }

    #[test]
    fn a_name_says_where_and_what() {
        let text = "impl Account {\n    fn add(&mut self, x: u32) -> u32 {\n        self.y + x\n    }\n}\n";
        let found = find(text);
        let names: Vec<String> = found
            .points
            .iter()
            .flat_map(|point| {
                point
                    .mutants
                    .iter()
                    .map(|mutant| display_name("src/lib.rs", point, mutant))
            })
            .collect();
        assert!(
            names.contains(&"src/lib.rs:3:16: replace + with - in Account::add [AOR]".to_string()),
            "{names:#?}"
        );
    }

    #[test]
    fn keys_are_unique_and_survive_moves() {
        let text = "fn f(a: u32) -> u32 { a + a + a } fn g(a: u32) -> u32 { a + a }";
        let before = all_keys(text);
        let unique: std::collections::HashSet<&String> = before.iter().collect();
        assert_eq!(unique.len(), before.len());
        let moved = format!("// moved\n\n{text}");
        assert_eq!(all_keys(&moved), before);
        let reordered = "fn g(a: u32) -> u32 { a + a } fn f(a: u32) -> u32 { a + a + a }";
        let mut after = all_keys(reordered);
        after.sort();
        let mut sorted = before.clone();
        sorted.sort();
        assert_eq!(after, sorted);
    }

    #[test]
    fn keys_differ_between_files() {
        let text = "fn f(a: u32) -> u32 { a + a }";
        assert_ne!(
            keys("a.rs", text, &find(text)),
            keys("b.rs", text, &find(text))
        );
    }
}
