//! Tables that have a place of their own in EXPERIMENTS.md: between `<!-- momut NAME -->` and `<!-- end -->`.

use anyhow::{Context, Result};

pub struct Section {
    name: &'static str,
    pub text: String,
}

const END: &str = "<!-- end -->";

impl Section {
    pub fn new(name: &'static str, text: String) -> Section {
        Section { name, text }
    }

    /// The document with this table in place of the one before.
    pub fn put_into(&self, document: &str) -> Result<String> {
        let begin = format!("<!-- momut {} -->\n", self.name);
        let missing = || format!("EXPERIMENTS.md has no place for the table `{}`", self.name);
        let (before, rest) = document.split_once(&begin).with_context(missing)?;
        let (_, after) = rest.split_once(END).with_context(missing)?;
        Ok(format!("{before}{begin}\n{}\n{END}{after}", self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_takes_the_place_of_the_one_before() {
        let section = Section::new("models", "| new |\n".to_owned());
        let document = "a\n<!-- momut models -->\n\n| old |\n\n<!-- end -->\nb\n";
        let updated = section.put_into(document).expect("there is a place");
        assert_eq!(updated, document.replace("old", "new"));
        assert_eq!(section.put_into(&updated).expect("still"), updated);
        assert!(section.put_into("a\n").is_err());
    }

    #[test]
    fn every_table_has_a_place_in_the_document() {
        let document = include_str!("../../../../EXPERIMENTS.md");
        for name in ["models", "results", "seeds", "growth"] {
            let section = Section::new(name, String::new());
            assert!(section.put_into(document).is_ok(), "{name}");
        }
    }
}
