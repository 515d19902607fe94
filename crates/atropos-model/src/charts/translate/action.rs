//! Actions of the chart as OOAS statements.

use super::code::CodeText;
use super::scope::{mark, place};
use super::writer::ClassWriter;
use crate::charts::chart::{ChartAction, ChartText};

impl ClassWriter<'_> {
    /// The actions one after the other.
    pub fn actions(&mut self, actions: &[ChartAction]) -> CodeText {
        let parts: Vec<CodeText> = actions.iter().map(|action| self.action(action)).collect();
        CodeText::sequence(parts)
    }

    fn action(&mut self, action: &ChartAction) -> CodeText {
        match action {
            ChartAction::Observe { name, arguments } => {
                let arguments: Vec<String> =
                    arguments.iter().map(|text| self.expression(text)).collect();
                CodeText::noticed(format!("{}({})", mark(name), arguments.join(", ")))
            }
            ChartAction::Raise(event) => self.raise(&event.text),
            ChartAction::SendSelf(event) => CodeText::noticed(format!(
                "{inbox} := {inbox} + [{kind}.{event}]",
                inbox = self.words.inbox,
                kind = self.words.event,
                event = event.text,
            )),
            ChartAction::Send { event, to } => self.send(event, to),
            ChartAction::Delay { id, time, .. } => self.set_timer(&id.text, &time.to_string()),
            ChartAction::Cancel(id) => self.set_timer(&id.text, "-1"),
            ChartAction::Assign { place, value } => {
                let value = self.expression(value);
                CodeText::noticed(format!("{} := {value}", self.expression(place)))
            }
            ChartAction::If(branches) => self.branches(branches),
            ChartAction::Statement(text) => {
                let statement = text.text.trim().trim_end_matches(';');
                // Brackets: the user's text may have `[]` or `//` at its top.
                CodeText::noticed(format!("({})", place(statement, &text.span)))
            }
        }
    }

    /// Puts an event into the machine's own queue.
    pub fn raise(&self, event: &str) -> CodeText {
        let words = &self.words;
        CodeText::noticed(format!(
            "{queue} := {queue} + [{kind}.{event}]",
            queue = words.queue,
            kind = words.event
        ))
    }

    fn send(&self, event: &ChartText, to: &ChartText) -> CodeText {
        let class = self
            .machine
            .references
            .iter()
            .find(|reference| reference.name.text == to.text)
            .map_or("", |reference| reference.class.text.as_str());
        let kind = self.event_types.get(class).map_or("", String::as_str);
        let receive = &self.words.receive;
        CodeText::noticed(format!("{}.{receive}({kind}.{})", mark(to), event.text))
    }

    fn set_timer(&self, id: &str, value: &str) -> CodeText {
        match self.layout.delay_timer(id) {
            Some(timer) => CodeText::noticed(format!(
                "{}[{}] := {value}",
                self.words.timers, timer.constant
            )),
            None => CodeText::skip(),
        }
    }

    /// Branches whose conditions exclude each other, so that a disabled statement inside one never opens the next.
    fn branches(&mut self, branches: &[(Option<ChartText>, Vec<ChartAction>)]) -> CodeText {
        let Some(((condition, actions), rest)) = branches.split_first() else {
            return CodeText::quiet("skip");
        };
        let body = self.actions(actions);
        let Some(condition) = condition else {
            return body;
        };
        let guard = self.guard(condition);
        let otherwise = self.branches(rest);
        CodeText::choice(vec![
            CodeText::when(guard.clone(), body),
            CodeText::when(format!("not {guard}"), otherwise),
        ])
    }
}
