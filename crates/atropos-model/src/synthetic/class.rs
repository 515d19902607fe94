//! A class of a synthetic model while it is put together, and how it is written.

use std::fmt::Write as _;

/// A class's text, part by part.
#[derive(Clone, Debug, Default)]
pub struct ClassText {
    /// Its name.
    pub name: String,
    /// What it stands for.
    pub remark: String,
    /// There is one object, made at the start.
    pub autocons: bool,
    /// `name : type = value` each.
    pub attributes: Vec<String>,
    /// Whole methods, without the semicolon.
    pub methods: Vec<String>,
    /// Whole actions, without the semicolon.
    pub actions: Vec<String>,
    /// Ranks of alternatives of the loop.
    pub ranks: Vec<Vec<String>>,
}

impl ClassText {
    /// An empty class.
    pub fn new(name: &str, remark: &str) -> Self {
        ClassText {
            name: name.to_owned(),
            remark: remark.to_owned(),
            ..ClassText::default()
        }
    }

    /// Adds attributes, one per line of `text`.
    pub fn with_attributes(mut self, text: &str) -> Self {
        self.attributes.extend(items(text));
        self
    }

    /// Adds methods, separated by blank lines in `text`.
    pub fn with_methods(mut self, text: &str) -> Self {
        self.methods.extend(paragraphs(text));
        self
    }

    /// Adds actions, separated by blank lines in `text`.
    pub fn with_actions(mut self, text: &str) -> Self {
        self.actions.extend(paragraphs(text));
        self
    }

    /// Adds a rank of alternatives, one per line of `text`.
    pub fn with_rank(mut self, text: &str) -> Self {
        self.ranks.push(items(text));
        self
    }

    /// The class as text.
    pub fn print(&self) -> String {
        let mut out = String::new();
        let autocons = if self.autocons { "autocons " } else { "" };
        let _ = writeln!(out, "  # {}", self.remark);
        let _ = writeln!(out, "  {} = {autocons}system\n  |[", self.name);
        section(&mut out, "var", &self.attributes);
        section(&mut out, "methods", &self.methods);
        section(&mut out, "actions", &self.actions);
        let ranks: Vec<String> = self
            .ranks
            .iter()
            .filter(|rank| !rank.is_empty())
            .map(|rank| rank.join(" []\n      "))
            .collect();
        if !ranks.is_empty() {
            let _ = writeln!(
                out,
                "    do\n      {}\n    od",
                ranks.join("\n      //\n      ")
            );
        }
        out.push_str("  ]|");
        out
    }
}

fn section(out: &mut String, title: &str, parts: &[String]) {
    if !parts.is_empty() {
        let indented: Vec<String> = parts
            .iter()
            .map(|part| part.replace('\n', "\n      "))
            .collect();
        let _ = writeln!(out, "    {title}\n      {}", indented.join(";\n      "));
    }
}

fn items(text: &str) -> Vec<String> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Blocks between blank lines, with the indentation of their first line taken off.
fn paragraphs(text: &str) -> Vec<String> {
    let mut blocks: Vec<Vec<&str>> = vec![Vec::new()];
    for line in text.lines() {
        if line.trim().is_empty() {
            blocks.push(Vec::new());
        } else if let Some(block) = blocks.last_mut() {
            block.push(line);
        }
    }
    blocks
        .into_iter()
        .filter(|block| !block.is_empty())
        .map(|block| {
            let indent = block[0].len() - block[0].trim_start().len();
            let lines: Vec<&str> = block
                .iter()
                .map(|line| line.get(indent..).unwrap_or(line.trim_start()))
                .collect();
            lines.join("\n")
        })
        .collect()
}
