//! `model run`: walks through a model by hand or by script. Reads one command per line, so that a file of commands
//! and a person at a terminal are the same thing.

use crate::execution::Engine;
use crate::model::{Label, Model, State};
use crate::mutation::{MutantSet, MutationMode};
use crate::random::SplitMix64;
use std::io::{BufRead, Write};
use std::sync::Arc;

/// Steps that the model may take by itself before it is asked again.
const MOST_OWN_STEPS: usize = 10_000;

const HELP: &str = "an input's name or number takes it; `random` takes one at random, `wait` lets the model go on by itself,\n\
    `state` shows the state, `inputs` the inputs, `reset` starts again, `quit` ends";

/// One enabled iteration.
struct Enabled {
    labels: Vec<Label>,
    target: State,
}

pub struct Animation<'a> {
    model: Arc<Model>,
    engine: Box<dyn Engine>,
    mode: MutationMode,
    state: State,
    random: SplitMix64,
    out: &'a mut dyn Write,
}

impl<'a> Animation<'a> {
    pub fn new(
        model: Arc<Model>,
        engine: Box<dyn Engine>,
        seed: u64,
        out: &'a mut dyn Write,
    ) -> Animation<'a> {
        let mode = MutationMode::original(&model.mutants);
        let state = model.initial.clone();
        Animation {
            model,
            engine,
            mode,
            state,
            random: SplitMix64::new(seed),
            out,
        }
    }

    /// Runs until `quit` or the end of the input; `false` if the model failed.
    ///
    /// # Errors
    /// If nothing can be read or written.
    pub fn run(&mut self, commands: &mut dyn BufRead, prompt: bool) -> std::io::Result<bool> {
        if !self.go_on()? {
            return Ok(false);
        }
        self.show_inputs()?;
        loop {
            if prompt {
                write!(self.out, "> ")?;
                self.out.flush()?;
            }
            let mut line = String::new();
            if commands.read_line(&mut line)? == 0 {
                return Ok(true);
            }
            let command = line
                .split('#')
                .next()
                .unwrap_or_default()
                .trim()
                .to_string();
            match command.as_str() {
                "" => {}
                "quit" | "q" => return Ok(true),
                "help" | "?" => writeln!(self.out, "{HELP}")?,
                "state" => self.show_state()?,
                "inputs" => self.show_inputs()?,
                "reset" => {
                    self.state = self.model.initial.clone();
                    if !self.go_on()? {
                        return Ok(false);
                    }
                    self.show_inputs()?;
                }
                other => {
                    if !self.command(other)? {
                        return Ok(false);
                    }
                }
            }
        }
    }

    /// Takes an input or lets the model go on; `false` if the model fails.
    fn command(&mut self, command: &str) -> std::io::Result<bool> {
        let Some(enabled) = self.enabled()? else {
            return Ok(false);
        };
        let (inputs, own): (Vec<Enabled>, Vec<Enabled>) = enabled.into_iter().partition(is_input);
        let taken = match command {
            "wait" => self.pick(own),
            "random" => self.pick(inputs),
            name => {
                let matching: Vec<Enabled> = match name.parse::<usize>() {
                    Ok(number) => {
                        let names = self.input_names(&inputs);
                        let wanted = number.checked_sub(1).and_then(|at| names.get(at).cloned());
                        inputs
                            .into_iter()
                            .filter(|e| Some(self.name(e)) == wanted)
                            .collect()
                    }
                    Err(_) => {
                        let name = name.strip_prefix("ctr ").unwrap_or(name);
                        inputs
                            .into_iter()
                            .filter(|enabled| self.name(enabled) == name)
                            .collect()
                    }
                };
                self.pick(matching)
            }
        };
        let Some(taken) = taken else {
            writeln!(
                self.out,
                "`{command}` is not enabled here; `help` tells more"
            )?;
            return Ok(true);
        };
        self.take(taken)?;
        if !self.go_on()? {
            return Ok(false);
        }
        self.show_inputs()?;
        Ok(true)
    }

    fn pick(&mut self, mut from: Vec<Enabled>) -> Option<Enabled> {
        if from.is_empty() {
            return None;
        }
        let at = self.random.below(from.len());
        Some(from.swap_remove(at))
    }

    fn name(&self, enabled: &Enabled) -> String {
        enabled
            .labels
            .first()
            .map(|label| self.model.label_name(label))
            .unwrap_or_default()
    }

    fn input_names(&self, inputs: &[Enabled]) -> Vec<String> {
        let mut names: Vec<String> = inputs.iter().map(|input| self.name(input)).collect();
        names.sort();
        names.dedup();
        names
    }

    fn take(&mut self, enabled: Enabled) -> std::io::Result<()> {
        for label in &enabled.labels {
            writeln!(self.out, "{}", self.model.label_text(label))?;
        }
        self.state = enabled.target;
        Ok(())
    }

    /// Takes outputs and internal steps while no input is enabled.
    fn go_on(&mut self) -> std::io::Result<bool> {
        for _ in 0..MOST_OWN_STEPS {
            let Some(enabled) = self.enabled()? else {
                return Ok(false);
            };
            if enabled.is_empty() || enabled.iter().any(is_input) {
                return Ok(true);
            }
            let Some(taken) = self.pick(enabled) else {
                return Ok(true);
            };
            self.take(taken)?;
        }
        writeln!(
            self.out,
            "the model took {MOST_OWN_STEPS} steps by itself and does not come to rest"
        )?;
        Ok(false)
    }

    /// What is enabled, by rank; `None` after an execution error, which is shown.
    fn enabled(&mut self) -> std::io::Result<Option<Vec<Enabled>>> {
        let model = self.model.clone();
        for rank in &model.ranks {
            let mut enabled = Vec::new();
            for object in rank {
                for outcome in self.engine.iterations(
                    &self.state,
                    *object,
                    &self.mode,
                    &mut MutantSet::default(),
                ) {
                    match outcome.result {
                        Ok(target) => enabled.push(Enabled {
                            labels: outcome.labels,
                            target,
                        }),
                        Err(error) => {
                            let (line, column) = model.line_column(error.span);
                            let text = model.source(error.span);
                            writeln!(
                                self.out,
                                "error: {} at {line}:{column}: {text}{}",
                                error.kind.sentence(),
                                error.kind.advice()
                            )?;
                            return Ok(None);
                        }
                    }
                }
            }
            if !enabled.is_empty() {
                return Ok(Some(enabled));
            }
        }
        Ok(Some(Vec::new()))
    }

    fn show_inputs(&mut self) -> std::io::Result<()> {
        let Some(enabled) = self.enabled()? else {
            return Ok(());
        };
        let (inputs, own): (Vec<Enabled>, Vec<Enabled>) = enabled.into_iter().partition(is_input);
        let names = self.input_names(&inputs);
        if names.is_empty() {
            return writeln!(self.out, "no input is enabled");
        }
        let numbered: Vec<String> = names
            .iter()
            .enumerate()
            .map(|(at, name)| format!("{} {name}", at + 1))
            .collect();
        let wait = if own.is_empty() { "" } else { ", or wait" };
        writeln!(self.out, "inputs: {}{wait}", numbered.join(", "))
    }

    fn show_state(&mut self) -> std::io::Result<()> {
        for at in 0..self.model.objects.len() {
            let object = crate::model::ObjectId(at as u32);
            let values: Vec<String> = self
                .model
                .object_text(&self.state, object)
                .into_iter()
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            writeln!(
                self.out,
                "{}: {}",
                self.model.objects[at].name,
                values.join(", ")
            )?;
        }
        Ok(())
    }
}

fn is_input(enabled: &Enabled) -> bool {
    enabled
        .labels
        .first()
        .is_some_and(|label| label.controllable)
}
