//! Actions of the chart as OOAS statements.

use super::code::Code;
use super::scope::{mark, place};
use super::writer::Writer;
use crate::charts::chart::{Action, Text};

impl Writer<'_> {
    /// The actions one after the other.
    pub fn actions(&mut self, actions: &[Action]) -> Code {
        let parts: Vec<Code> = actions.iter().map(|action| self.action(action)).collect();
        Code::sequence(parts)
    }

    fn action(&mut self, action: &Action) -> Code {
        match action {
            Action::Observe { name, arguments } => {
                let arguments: Vec<String> =
                    arguments.iter().map(|text| self.expression(text)).collect();
                Code::noticed(format!("{}({})", mark(name), arguments.join(", ")))
            }
            Action::Raise(event) => self.raise(&event.text),
            Action::Send { event, to } => self.send(event, to),
            Action::Delay { id, time, .. } => self.set_timer(&id.text, &time.to_string()),
            Action::Cancel(id) => self.set_timer(&id.text, "-1"),
            Action::Assign { place, value } => {
                let value = self.expression(value);
                Code::noticed(format!("{} := {value}", self.expression(place)))
            }
            Action::If(branches) => self.branches(branches),
            Action::Statement(text) => {
                let statement = text.text.trim().trim_end_matches(';');
                // Brackets: the user's text may have `[]` or `//` at its top.
                Code::noticed(format!("({})", place(statement, &text.span)))
            }
        }
    }

    /// Puts an event into the machine's own queue.
    pub fn raise(&self, event: &str) -> Code {
        let words = &self.words;
        Code::noticed(format!(
            "{queue} := {queue} + [{kind}.{event}]",
            queue = words.queue,
            kind = words.event
        ))
    }

    fn send(&self, event: &Text, to: &Text) -> Code {
        let class = self
            .machine
            .references
            .iter()
            .find(|reference| reference.name.text == to.text)
            .map_or("", |reference| reference.class.text.as_str());
        let kind = self.event_types.get(class).map_or("", String::as_str);
        let receive = &self.words.receive;
        Code::noticed(format!("{}.{receive}({kind}.{})", mark(to), event.text))
    }

    fn set_timer(&self, id: &str, value: &str) -> Code {
        match self.layout.delay_timer(id) {
            Some(timer) => Code::noticed(format!(
                "{}[{}] := {value}",
                self.words.timers, timer.constant
            )),
            None => Code::skip(),
        }
    }

    /// Branches whose conditions exclude each other, so that a disabled statement inside one never opens the next.
    fn branches(&mut self, branches: &[(Option<Text>, Vec<Action>)]) -> Code {
        let Some(((condition, actions), rest)) = branches.split_first() else {
            return Code::quiet("skip");
        };
        let body = self.actions(actions);
        let Some(condition) = condition else {
            return body;
        };
        let guard = self.guard(condition);
        let otherwise = self.branches(rest);
        Code::choice(vec![
            Code::when(guard.clone(), body),
            Code::when(format!("not {guard}"), otherwise),
        ])
    }
}
