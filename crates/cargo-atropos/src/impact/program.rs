//! The program that is observed: its functions and blocks, numbered through all packages.

use std::collections::BTreeMap;

use atropos_mutants::mutant::MutantId;
use atropos_report::mutant::MutantInfo;
use atropos_weave::observe::{Function, ObservedFile, Structs};

use crate::plan::Plan;
use crate::source::Texts;

/// All that can be observed. The compiler wrapper comes to the same numbers by the same way.
pub struct Program {
    pub functions: Vec<Function>,
    /// The function of each block.
    pub blocks: Vec<u32>,
    /// The numbers of each package's first function and first block.
    pub first: Vec<(u32, u32)>,
    /// The first function of each file, and what was found there.
    files: BTreeMap<String, (u32, ObservedFile)>,
}

impl Program {
    pub fn of(plan: &Plan, texts: &Texts) -> Program {
        let mut program = Program {
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
                program.add(name, ObservedFile::of(&text, &structs));
            }
        }
        program
    }

    fn add(&mut self, name: &str, file: ObservedFile) {
        let first = self.functions.len() as u32;
        self.functions.extend(file.functions.iter().cloned());
        let functions = file.blocks.iter().map(|block| first + block.function);
        self.blocks.extend(functions);
        self.files.insert(name.to_owned(), (first, file));
    }

    /// The function that a mutant is in.
    pub fn function_of(&self, mutant: &MutantInfo) -> Option<u32> {
        let (first, file) = self.files.get(&mutant.file)?;
        let index = file.function_at(mutant.span.start)?;
        Some(first + index as u32)
    }

    /// The function of each mutant.
    pub fn functions_of(&self, mutants: &[MutantInfo]) -> BTreeMap<MutantId, u32> {
        let known = mutants.iter();
        known
            .filter_map(|mutant| Some((mutant.id, self.function_of(mutant)?)))
            .collect()
    }
}
