//! Charts in JSON: XState's machine configurations and GraphWalker's models.

mod graphwalker;
mod value;
mod xstate;
mod xstate_events;

use super::chart::{Chart, ChartSpan, ChartText, Notation};
use super::problem::{Collector, Problems};
use value::Json;

/// Which of the two a text is; nothing if it is neither.
pub fn is_chart(source: &str) -> bool {
    if too_deep(source).is_some() {
        return source.contains("\"states\"") || source.contains("\"models\"");
    }
    serde_json::from_str::<Json>(source).is_ok_and(|json| is_graphwalker(&json) || is_xstate(&json))
}

/// A state of XState lies two deep in its parent.
const MOST_NESTED: usize = 120;

/// Where the text is nested deeper than is read.
fn too_deep(source: &str) -> Option<usize> {
    let (mut depth, mut in_text, mut escaped) = (0usize, false, false);
    for (at, byte) in source.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => depth += 1,
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MOST_NESTED {
            return Some(at);
        }
    }
    None
}

fn is_graphwalker(json: &Json) -> bool {
    json.get("models").is_some()
}

fn is_xstate(json: &Json) -> bool {
    json.get("states").is_some()
}

/// Reads a file in either format.
pub fn read(file: &str, source: &str) -> Result<Chart, Problems> {
    let mut reader = Reader {
        source,
        collector: Collector::default(),
    };
    if let Some(at) = too_deep(source) {
        reader.collector.advise(
            at..at + 1,
            format!("this JSON is nested more than {MOST_NESTED} deep"),
            "charts are read up to that depth; make inner states charts of their own",
        );
        return reader.collector.finish(file, source, None);
    }
    let mut notation = Notation::Scxml;
    let machine = match serde_json::from_str::<Json>(source) {
        Err(error) => {
            let line = source.lines().take(error.line().saturating_sub(1));
            let start = line.map(|line| line.len() + 1).sum::<usize>() + error.column();
            let start = start.min(source.len().saturating_sub(1));
            reader.collector.advise(
                start..start + 1,
                format!("this is not well-formed JSON: {error}"),
                "names are in double quotes, and no comma stands before `}` or `]`",
            );
            None
        }
        Ok(json) if is_graphwalker(&json) => {
            // Of several edges that may be taken the walk takes any.
            notation = Notation::Uml;
            graphwalker::machine(&json, &mut reader)
        }
        Ok(json) => xstate::machine(&json, &mut reader),
    };
    let mut chart = machine.map(|machine| Chart {
        name: machine.name.text.clone(),
        notation,
        types: Vec::new(),
        machines: vec![machine],
        unit: 1,
        instances: Vec::new(),
    });
    if let Some(chart) = &mut chart {
        super::complete(chart, &mut reader.collector);
    }
    reader.collector.finish(file, source, chart)
}

/// What is needed to complain.
struct Reader<'s> {
    source: &'s str,
    collector: Collector,
}

impl Reader<'_> {
    /// Where a text stands: if it is a piece of the source, there; else the first place where it stands in quotes.
    fn span(&self, text: &str) -> ChartSpan {
        let whole = self.source.as_bytes().as_ptr_range();
        if !text.is_empty() && whole.contains(&text.as_ptr()) {
            let start = text.as_ptr() as usize - whole.start as usize;
            return start..start + text.len();
        }
        let found = self.source.find(&format!("\"{text}\""));
        found.map_or(0..1, |at| at + 1..at + 1 + text.len())
    }

    fn text(&self, text: &str) -> ChartText {
        ChartText::new(text, self.span(text))
    }

    /// A name as OOAS wants it, at the place of what is written.
    fn name(&self, text: &str) -> ChartText {
        ChartText::new(super::names::identifier(text), self.span(text))
    }

    fn too_large(&mut self, at: &str) {
        if self.collector.is_empty() {
            let message = format!("this chart has more than {} states", super::MOST_STATES);
            let advice =
                "charts are read up to that size; a variable may stand for many alike states";
            self.advise(at, message, advice);
        }
    }

    fn advise(&mut self, at: &str, message: impl Into<String>, advice: &str) {
        let span = self.span(at);
        self.collector.advise(span, message, advice);
    }
}
