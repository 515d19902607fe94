//! A unit of a build that observes: the mutants in the forms that rustc has accepted before, and
//! on top of them the calls that observe. What rustc rejects now is due to these, and goes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Output;
use std::time::Instant;

use anyhow::{Result, bail};
use atropos_mutants::mutant::MutantId;
use atropos_weave::observe::{self, FirstNumbers, ObserveForms, Observed, ObservedFile, Structs};
use atropos_weave::{FileWeave, PackageForms};

use super::compiler::{self, CompilerAnswer};
use super::instructions::ObservationPlan;
use super::wrapper::{AcceptedWeave, MAX_ROUNDS, Unit};

impl Unit {
    /// Weaves and compiles until rustc accepts.
    pub(super) fn compile_observed(
        &self,
        observation: &ObservationPlan,
    ) -> Result<(Output, AcceptedWeave)> {
        let compile = self.woven_call()?;
        self.prepare_shadow()?;
        let woven = self.weave(&self.mutant_forms(&observation.wanted)?)?;
        let found = self.observed_files(observation);
        let known = self.instructions.observe_forms_file(self.package_index);
        let read = || fs::read(&known).ok();
        let parse = |bytes: Vec<u8>| serde_json::from_slice::<ObserveForms>(&bytes);
        let mut forms = read().map(parse).transpose()?.unwrap_or_default();
        let mut turn = None;
        for round in 1..=MAX_ROUNDS {
            let start = Instant::now();
            let observed = self.observe(&woven, &found, &forms)?;
            // What rustc rejects it rejects before it makes code, so that a check before would be lost time.
            let CompilerAnswer { output, errors } = compiler::compile(&compile)?;
            self.log(&format!(
                "observing, round {round}: {:.2} s, {} errors, {} pieces left out",
                start.elapsed().as_secs_f64(),
                errors.len(),
                forms.len()
            ));
            if errors.is_empty() {
                if turn.is_some() {
                    let making = known.with_extension("making");
                    fs::write(&making, serde_json::to_vec(&forms)?)?;
                    fs::rename(&making, &known)?;
                }
                let absent = woven.into_values().flat_map(|file| file.absent);
                let accepted = AcceptedWeave {
                    absent: absent.collect(),
                    rounds: round,
                };
                return Ok((output, accepted));
            }
            for error in &errors {
                self.log(&format!("  {}", error.headline()));
            }
            if turn.is_none() {
                turn = Some(self.instructions.lock_package(self.package_index)?);
                // Another unit of the package may have been through this.
                let learned = read().map(parse).transpose()?;
                if let Some(learned) = learned.filter(|learned| learned.len() > forms.len()) {
                    forms = learned;
                    continue;
                }
            }
            let name = |name: &str| self.file_of_name(name);
            if !observe::roll_back(&mut forms, &observed, &errors, name) {
                bail!("rustc rejects it for a reason that no observation explains");
            }
        }
        bail!("rustc still rejects it after {MAX_ROUNDS} rounds")
    }

    /// The forms that rustc accepted, without the mutants that nobody asks for.
    pub(super) fn mutant_forms(&self, wanted: &BTreeSet<MutantId>) -> Result<PackageForms> {
        let known = self.instructions.forms_file(self.package_index);
        let mut forms: PackageForms = serde_json::from_slice(&fs::read(known)?)?;
        for file in &self.package.files {
            let forms = forms.file_mut(file.path.as_str());
            for mutant in file.mutants.points.iter().flat_map(|point| &point.mutants) {
                if !wanted.contains(&mutant.id) {
                    forms.drop_mutant(mutant.id, "it is not wanted here");
                }
            }
        }
        Ok(forms)
    }

    /// What can be observed in each file, with its numbers.
    fn observed_files(&self, observation: &ObservationPlan) -> Vec<(FirstNumbers, ObservedFile)> {
        let code = || {
            let files = self.package.files.iter().zip(&self.texts);
            files.filter(|(file, _)| !file.steps_only)
        };
        let structs = Structs::of(code().map(|(_, text)| text.as_str()));
        let (mut function, mut block) = observation.first[self.package_index];
        let files = self.package.files.iter().zip(&self.texts);
        files
            .map(|(file, text)| {
                let first = FirstNumbers { function, block };
                let found = match file.steps_only {
                    true => ObservedFile::default(),
                    false => ObservedFile::of(text, &structs),
                };
                function += found.functions.len() as u32;
                block += found.blocks.len() as u32;
                (first, found)
            })
            .collect()
    }

    /// Writes all files, woven and observing, into the shadow.
    fn observe(
        &self,
        woven: &BTreeMap<String, FileWeave>,
        found: &[(FirstNumbers, ObservedFile)],
        forms: &ObserveForms,
    ) -> Result<BTreeMap<String, Observed>> {
        let mut result = BTreeMap::new();
        for (file, (first, found)) in self.package.files.iter().zip(found) {
            let name = file.path.as_str();
            let observed = observe::observe(&woven[name], found, *first, forms.dropped(name));
            let original = self.instructions.workspace_root.join(&file.path);
            self.shadow.write(&original, &observed.text)?;
            result.insert(name.to_owned(), observed);
        }
        Ok(result)
    }
}
