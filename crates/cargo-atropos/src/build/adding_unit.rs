//! A unit of a build with additions: the wanted mutants in the forms that rustc has accepted before, and on top of them
//! what is added. What rustc rejects now is due to the additions, and goes.

use std::collections::BTreeMap;
use std::fs;
use std::process::Output;
use std::time::Instant;

use anyhow::{Result, bail};
use atropos_weave::FileWeave;
use atropos_weave::additions::{self, AddedText, Rejected};

use super::compiler::{self, CompilerAnswer};
use super::instructions::AdditionPlan;
use super::wrapper::{AcceptedWeave, MAX_ROUNDS, Unit};

impl Unit {
    /// Weaves and compiles until rustc accepts.
    pub(super) fn compile_with_additions(
        &self,
        plan: &AdditionPlan,
    ) -> Result<(Output, AcceptedWeave)> {
        let compile = self.woven_call()?;
        self.prepare_shadow()?;
        let woven = self.weave(&self.mutant_forms(&plan.wanted)?)?;
        let known = self
            .instructions
            .rejected_additions_file(self.package_index);
        let read = || -> Result<Rejected> {
            Ok(match fs::read(&known) {
                Ok(bytes) => serde_json::from_slice(&bytes)?,
                Err(_) => Rejected::new(),
            })
        };
        let mut rejected = read()?;
        let mut turn = None;
        for round in 1..=MAX_ROUNDS {
            let start = Instant::now();
            let texts = self.add(&woven, plan, &rejected)?;
            // What rustc rejects it rejects before it makes code, so that a check before would be lost time.
            let CompilerAnswer { output, errors } = compiler::compile(&compile)?;
            self.log(&format!(
                "adding, round {round}: {:.2} s, {} errors, {} left out",
                start.elapsed().as_secs_f64(),
                errors.len(),
                rejected.len()
            ));
            let without_place: Vec<u32> = texts
                .values()
                .flat_map(|text| &text.without_place)
                .copied()
                .filter(|id| !rejected.contains_key(id))
                .collect();
            if errors.is_empty() {
                if turn.is_none() && !without_place.is_empty() {
                    turn = Some(self.instructions.lock_package(self.package_index)?);
                    rejected.extend(read()?);
                }
                if turn.is_some() {
                    let no_place = "its place is not in the woven text".to_owned();
                    rejected.extend(without_place.into_iter().map(|id| (id, no_place.clone())));
                    let making = known.with_extension("making");
                    fs::write(&making, serde_json::to_vec(&rejected)?)?;
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
                let learned = read()?;
                if learned.len() > rejected.len() {
                    rejected.extend(learned);
                    continue;
                }
            }
            let name = |name: &str| self.file_of_name(name);
            if !additions::roll_back(&mut rejected, &texts, &errors, name) {
                bail!("rustc rejects it for a reason that no addition explains");
            }
        }
        bail!("rustc still rejects it after {MAX_ROUNDS} rounds")
    }

    /// Writes all files, woven and with additions, into the shadow; gives those that have some.
    fn add(
        &self,
        woven: &BTreeMap<String, FileWeave>,
        plan: &AdditionPlan,
        rejected: &Rejected,
    ) -> Result<BTreeMap<String, AddedText>> {
        let mut texts = BTreeMap::new();
        for file in &self.package.files {
            let name = file.path.as_str();
            let Some(additions) = plan.files.get(name) else {
                continue;
            };
            let added = additions::add(&woven[name], additions, rejected);
            let original = self.instructions.workspace_root.join(&file.path);
            self.shadow.write(&original, &added.text)?;
            texts.insert(name.to_owned(), added);
        }
        Ok(texts)
    }
}
