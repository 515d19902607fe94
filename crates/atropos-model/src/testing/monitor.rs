//! Whether a recorded run is one that the model allows.

use crate::model::Observation;
use crate::mutation::MutantSet;
use crate::state_space::{Acting, StateExplorer, StateSpaceLimits, Stop, SuspensionNode};
use serde_json::Value;

/// One line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MonitorEvent {
    Input(String),
    Output(String),
    Silence,
}

impl MonitorEvent {
    /// Reads a line: JSON (`{"input": "X"}`, `{"output": "Y(1)"}`, `{"silence": true}`) or words (`ctr X`, `gave X`, `obs Y(1)`,
    /// `saw Y(1)`, `obs delta`). Nothing for an empty line and for a comment (`#`).
    ///
    /// # Errors
    /// If it is neither.
    pub fn parse(line: &str) -> Result<Option<MonitorEvent>, String> {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(None);
        }
        if line.starts_with('{') {
            let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
            let text = |name: &str| value.get(name)?.as_str().map(str::to_string);
            return match (text("input"), text("output"), value.get("silence")) {
                (Some(input), None, None) => Ok(Some(MonitorEvent::Input(input))),
                (None, Some(output), None) => Ok(Some(MonitorEvent::Output(output))),
                (None, None, Some(Value::Bool(true))) => Ok(Some(MonitorEvent::Silence)),
                _ => Err("a line says `input`, `output` or `silence`, and one of them".into()),
            };
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim().to_string();
        match (word, rest.as_str()) {
            ("obs" | "saw", "delta" | "silence") => Ok(Some(MonitorEvent::Silence)),
            ("ctr" | "gave", _) if !rest.is_empty() => Ok(Some(MonitorEvent::Input(rest))),
            ("obs" | "saw", _) if !rest.is_empty() => Ok(Some(MonitorEvent::Output(rest))),
            _ => Err("write `ctr Input`, `obs Output`, `obs delta`, or JSON".into()),
        }
    }
}

/// The result of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MonitorStep {
    Allowed,
    /// The model shows these there.
    Wrong(Vec<String>),
    /// The model does not say what happens with this input there; it takes these.
    Unspecified(Vec<String>),
    Stopped(Stop),
}

/// The model beside a run.
pub struct Monitor {
    explorer: StateExplorer,
    acting: Acting,
    limits: StateSpaceLimits,
    kernel: Vec<SuspensionNode>,
}

impl Monitor {
    pub fn new(explorer: StateExplorer, limits: StateSpaceLimits) -> Monitor {
        Monitor {
            acting: Acting::original(&explorer.model.mutants),
            kernel: vec![SuspensionNode::at(explorer.model.initial.clone())],
            explorer,
            limits,
        }
    }

    /// Follows one event.
    pub fn follow(&mut self, event: &MonitorEvent) -> MonitorStep {
        self.step(event).unwrap_or_else(MonitorStep::Stopped)
    }

    fn step(&mut self, event: &MonitorEvent) -> Result<MonitorStep, Stop> {
        let model = self.explorer.model.clone();
        let mut infected = MutantSet::default();
        let suspension =
            self.explorer
                .close(&self.acting, &self.kernel, self.limits, &mut infected)?;
        if let MonitorEvent::Input(input) = event {
            let inputs = self.explorer.inputs(&self.acting, &suspension)?;
            let found = inputs
                .keys()
                .find(|label| model.label_name(label) == *input);
            let Some(label) = found else {
                let taken = inputs.keys().map(|label| model.label_name(label));
                return Ok(MonitorStep::Unspecified(taken.collect()));
            };
            let taken = self.explorer.take(&self.acting, &suspension, label)?;
            self.kernel = taken.targets;
            return Ok(MonitorStep::Allowed);
        }
        let text = |observation: &Observation| match observation {
            Observation::Output(label) => model.label_name(label),
            Observation::Delta => "silence".to_string(),
        };
        let seen = match event {
            MonitorEvent::Output(output) => output.as_str(),
            _ => "silence",
        };
        let observations = suspension.observations();
        match observations.iter().find(|one| text(one) == seen) {
            None => Ok(MonitorStep::Wrong(observations.iter().map(text).collect())),
            Some(observation) => {
                self.kernel = suspension.after_observation(observation);
                Ok(MonitorStep::Allowed)
            }
        }
    }
}
