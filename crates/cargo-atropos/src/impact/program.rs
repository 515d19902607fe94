//! The program that is observed: its functions and blocks, numbered through all packages.

use std::collections::BTreeMap;

use atropos_mutants::mutant::MutantId;
use atropos_report::mutant::MutantInfo;
use atropos_weave::observe::{Function, ObservedFile, Structs};

use crate::plan::Plan;
use crate::source::SourceTexts;

/// All that can be observed. The compiler wrapper comes to the same numbers by the same way.
pub struct ObservedProgram {
    pub functions: Vec<Function>,
    /// The function of each block.
    pub blocks: Vec<u32>,
    /// The numbers of each package's first function and first block.
    pub first: Vec<(u32, u32)>,
    files: BTreeMap<String, File>,
}

/// A file of the program.
struct File {
    /// The number of its first function.
    first: u32,
    found: ObservedFile,
    /// Where its lines begin.
    lines: Vec<usize>,
}

impl ObservedProgram {
    pub fn of(plan: &Plan, texts: &SourceTexts) -> ObservedProgram {
        let mut program = ObservedProgram {
            functions: Vec::new(),
            blocks: Vec::new(),
            first: Vec::new(),
            files: BTreeMap::new(),
        };
        for package in &plan.packages {
            let first = (program.functions.len() as u32, program.blocks.len() as u32);
            program.first.push(first);
            let code = package.files.iter().filter(|file| !file.steps_only);
            let code: Vec<(&str, String)> = code
                .map(|file| {
                    let name = file.path.as_str();
                    let text = texts
                        .get(name)
                        .cloned()
                        .or_else(|| std::fs::read_to_string(plan.workspace_root.join(name)).ok());
                    (name, text.unwrap_or_default())
                })
                .collect();
            let structs = Structs::of(code.iter().map(|(_, text)| text.as_str()));
            for (name, text) in code {
                program.add(name, &text, ObservedFile::of(&text, &structs));
            }
        }
        program
    }

    fn add(&mut self, name: &str, text: &str, found: ObservedFile) {
        let first = self.functions.len() as u32;
        self.functions.extend(found.functions.iter().cloned());
        let functions = found.blocks.iter().map(|block| first + block.function);
        self.blocks.extend(functions);
        let ends = text.match_indices('\n').map(|(end, _)| end + 1);
        let file = File {
            first,
            found,
            lines: std::iter::once(0).chain(ends).collect(),
        };
        self.files.insert(name.to_owned(), file);
    }

    /// The function that a mutant is in.
    pub fn function_of(&self, mutant: &MutantInfo) -> Option<u32> {
        let File { first, found, .. } = self.files.get(&mutant.file)?;
        let index = found.function_at(mutant.span.start)?;
        Some(first + index as u32)
    }

    /// The function with a name that a line is in, at its end.
    pub fn function_at_line(&self, file: &str, line: u32) -> Option<&Function> {
        let File { found, lines, .. } = self.files.get(file)?;
        let end = lines.get(line as usize)?.checked_sub(1)?;
        let around = found.functions.iter().filter(|function| {
            !function.is_closure && function.span.start <= end && end < function.span.end
        });
        around.min_by_key(|function| function.span.end - function.span.start)
    }

    /// The function of each mutant.
    pub fn functions_of(&self, mutants: &[MutantInfo]) -> BTreeMap<MutantId, u32> {
        let known = mutants.iter();
        known
            .filter_map(|mutant| Some((mutant.id, self.function_of(mutant)?)))
            .collect()
    }
}
