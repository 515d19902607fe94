//! A model from a file: OOAS text as it is, charts translated first. What is wrong with a translated text is shown where
//! the user wrote it.

use crate::charts::{self, Origin};
use crate::check::{UNDECLARED, check};
use crate::language::{Diagnostic, Diagnostics, Severity, Span};
use crate::model::Model;
use anyhow::Context as _;
use std::path::Path;
use std::sync::Arc;

/// The text of a model, and where it comes from.
pub struct Source {
    file: String,
    /// OOAS.
    pub text: String,
    chart: Option<ChartSource>,
}

struct ChartSource {
    text: String,
    origins: Vec<Origin>,
}

/// A checked model with its text.
pub struct Loaded {
    pub model: Arc<Model>,
    pub source: Source,
}

impl Source {
    /// Reads a file; `None` if it is a chart with errors, which are shown by `tell`.
    ///
    /// # Errors
    /// If the file can't be read.
    pub fn read(
        file: &Path,
        color: bool,
        tell: &mut dyn FnMut(&str),
    ) -> anyhow::Result<Option<Source>> {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file).with_context(|| format!("can't read {name}"))?;
        Ok(match charts::read(&name, &text) {
            None => Some(Source {
                file: name,
                text,
                chart: None,
            }),
            Some(Ok(chart)) => {
                let (translated, origins) = charts::translate_with_origins(&chart);
                Some(Source {
                    file: name,
                    text: translated,
                    chart: Some(ChartSource { text, origins }),
                })
            }
            Some(Err(problems)) => {
                let found = problems.diagnostics;
                tell(&found.render(&problems.file, &problems.source, color));
                None
            }
        })
    }

    pub fn is_chart(&self) -> bool {
        self.chart.is_some()
    }

    /// Checks the text; findings are shown by `tell`.
    pub fn check(self, color: bool, tell: &mut dyn FnMut(&str)) -> Option<Loaded> {
        let (model, diagnostics) = check(&self.text);
        tell(&self.render(&diagnostics, color));
        let model = Arc::new(model?);
        Some(Loaded {
            model,
            source: self,
        })
    }

    /// Findings about the text, each at the place where the user wrote what it is about.
    pub fn render(&self, diagnostics: &Diagnostics, color: bool) -> String {
        let Some(chart) = &self.chart else {
            return diagnostics.render(&self.file, &self.text, color);
        };
        let (mut mapped, mut unmapped) = (Diagnostics::default(), Diagnostics::default());
        for diagnostic in diagnostics.sorted() {
            match chart.place(diagnostic.span) {
                // Nobody can do anything about how the translation is written.
                None if diagnostic.severity == Severity::Warning => {}
                None => unmapped.push(diagnostic.clone()),
                Some(span) => mapped.push(Diagnostic {
                    span,
                    advice: self.advice(diagnostic),
                    other: diagnostic
                        .other
                        .as_ref()
                        .and_then(|(span, message)| Some((chart.place(*span)?, message.clone()))),
                    ..diagnostic.clone()
                }),
            }
        }
        let translation = format!("{} (translated)", self.file);
        let mut out = mapped.render(&self.file, &chart.text, color);
        out.push_str(&unmapped.render(&translation, &self.text, color));
        out
    }

    /// In the words of the chart where it has its own.
    fn advice(&self, diagnostic: &Diagnostic) -> String {
        match diagnostic.advice == UNDECLARED {
            true if self.chart.as_ref().is_some_and(|chart| charts::is_scxml(&self.file, &chart.text)) => {
                "declare it: `<data id=\"x\" at:type=\"int[0..9]\" expr=\"0\"/>`, or as a parameter of the event".into()
            }
            true => "declare it: `'! var x : int[0..9] = 0`, or as a parameter of the event".into(),
            false => diagnostic.advice.clone(),
        }
    }

    /// A place as `file:line:column`, in the chart if it was written there.
    pub fn place(&self, span: Span) -> String {
        let in_chart = self.chart.as_ref().and_then(|chart| {
            let span = chart.place(span)?;
            Some((self.file.clone(), &chart.text, span))
        });
        let translated = match self.is_chart() {
            true => format!("{} (translated)", self.file),
            false => self.file.clone(),
        };
        let (file, text, span) = in_chart.unwrap_or((translated, &self.text, span));
        let before = &text[..(span.start as usize).min(text.len())];
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        format!("{file}:{line}:{column}")
    }
}

impl ChartSource {
    /// Where the user wrote a part of the translation: the narrowest of the places that hold it.
    fn place(&self, span: Span) -> Option<Span> {
        let wanted = span.range();
        let holds = |origin: &&Origin| {
            origin.translated.start <= wanted.start && wanted.end <= origin.translated.end
        };
        let origin = self
            .origins
            .iter()
            .filter(holds)
            .min_by_key(|origin| origin.translated.len())?;
        let shift = |at: usize| (origin.chart.start + (at - origin.translated.start)) as u32;
        Some(match origin.translated.len() == origin.chart.len() {
            true => Span {
                start: shift(wanted.start),
                end: shift(wanted.end),
            },
            false => Span {
                start: origin.chart.start as u32,
                end: origin.chart.end as u32,
            },
        })
    }
}
