//! A model from a file: OOAS text as it is, charts translated first. What is wrong with a translated text is shown where
//! the user wrote it.

use crate::charts::mutants::{ChartMutant, find, weave};
use crate::charts::{self, Chart, Origin, Translation};
use crate::check::{UNDECLARED, check, check_woven};
use crate::language::{Diagnostic, Diagnostics, Severity, SourceSpan};
use crate::model::Model;
use crate::mutation::{ShapeMutant, Woven};
use anyhow::Context as _;
use std::path::Path;
use std::sync::Arc;

/// The text of a model, and where it comes from.
pub struct ModelSource {
    file: String,
    /// What the user wrote.
    text: String,
    pub chart: Option<ChartSource>,
}

/// A chart, and what it was translated to.
pub struct ChartSource {
    pub chart: Chart,
    /// Mutants of its shape, in the order of their numbers, which begin with 1.
    pub mutants: Vec<ChartMutant>,
    /// For readers, and for findings.
    plain: Translation,
    /// With all mutants: what the model is made from.
    woven: Translation,
}

/// A checked model with its text.
pub struct Loaded {
    pub model: Arc<Model>,
    pub source: ModelSource,
}

impl ModelSource {
    /// Reads a file; `None` if it is a chart with errors, which are shown by `tell`.
    ///
    /// # Errors
    /// If the file can't be read.
    pub fn read(
        file: &Path,
        color: bool,
        tell: &mut dyn FnMut(&str),
    ) -> anyhow::Result<Option<ModelSource>> {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file).with_context(|| format!("can't read {name}"))?;
        Ok(match charts::read(&name, &text) {
            None => Some(ModelSource::of_model(name, text)),
            Some(Ok(chart)) => Some(ModelSource::of_chart(name, text, chart)),
            Some(Err(problems)) => {
                let found = problems.diagnostics;
                tell(&found.render(&problems.file, &problems.source, color));
                None
            }
        })
    }

    /// OOAS text.
    pub fn of_model(file: String, text: String) -> ModelSource {
        ModelSource {
            file,
            text,
            chart: None,
        }
    }

    /// A chart that was read.
    pub fn of_chart(file: String, text: String, chart: Chart) -> ModelSource {
        let plain = charts::translate_with_origins(&chart);
        let mutants = find(&chart, &text);
        let (with_mutants, variants) = weave(&chart, &mutants);
        let woven = charts::translate_variants(&with_mutants, &variants);
        let chart = Some(ChartSource {
            chart,
            mutants,
            plain,
            woven,
        });
        ModelSource { file, text, chart }
    }

    /// The chart's file, without its directory.
    pub fn chart_file(&self) -> Option<&str> {
        let name = self.file.rsplit(['/', '\\']).next()?;
        self.chart.as_ref().map(|_| name)
    }

    pub fn is_chart(&self) -> bool {
        self.chart.is_some()
    }

    /// The model as OOAS text, without mutants.
    pub fn translation(&self) -> &str {
        self.chart
            .as_ref()
            .map_or(&self.text, |chart| &chart.plain.text)
    }

    /// What the user wrote.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Checks the text; findings are shown by `tell`.
    pub fn check(self, color: bool, tell: &mut dyn FnMut(&str)) -> Option<Loaded> {
        let (model, diagnostics) = check(self.translation());
        tell(&self.render(&diagnostics, color));
        let mut model = model?;
        if let Some(chart) = &self.chart {
            let statements = model.statements;
            let (woven, diagnostics) = check_woven(&chart.woven.text, &chart.woven(&self.text));
            if woven.is_none() {
                let file = format!("{} (its mutants; please report this)", self.file);
                tell(&diagnostics.render(&file, &chart.woven.text, color));
            }
            model = woven?;
            model.statements = statements;
        }
        Some(Loaded {
            model: Arc::new(model),
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
            match place(&chart.plain.origins, diagnostic.span) {
                // Nobody can do anything about how the translation is written.
                None if diagnostic.severity == Severity::Warning => {}
                None => unmapped.push(diagnostic.clone()),
                Some(span) => mapped.push(Diagnostic {
                    span,
                    advice: self.advice(diagnostic),
                    other: diagnostic.other.as_ref().and_then(|(span, message)| {
                        Some((place(&chart.plain.origins, *span)?, message.clone()))
                    }),
                    ..diagnostic.clone()
                }),
            }
        }
        let translation = format!("{} (translated)", self.file);
        let mut out = mapped.render(&self.file, &self.text, color);
        out.push_str(&unmapped.render(&translation, &chart.plain.text, color));
        out
    }

    /// In the words of the chart where it has its own.
    fn advice(&self, diagnostic: &Diagnostic) -> String {
        match (diagnostic.advice == UNDECLARED, &self.chart) {
            (true, Some(_)) => charts::how_to_declare(&self.file, &self.text).into(),
            _ => diagnostic.advice.clone(),
        }
    }

    /// A place of the model as `file:line:column`, in the chart if it was written there.
    pub fn place(&self, span: SourceSpan) -> String {
        let Some(chart) = &self.chart else {
            return located(&self.file, &self.text, span);
        };
        match place(&chart.woven.origins, span) {
            Some(span) => located(&self.file, &self.text, span),
            None => {
                let file = format!("{} (translated, with its mutants)", self.file);
                located(&file, &chart.woven.text, span)
            }
        }
    }

    /// A mutant's place as `file:line:column`.
    pub fn mutant_place(&self, span: SourceSpan) -> String {
        located(&self.file, &self.text, span)
    }
}

fn located(file: &str, text: &str, span: SourceSpan) -> String {
    let before = &text[..(span.start as usize).min(text.len())];
    let line = before.matches('\n').count() + 1;
    let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
    format!("{file}:{line}:{column}")
}

impl ChartSource {
    fn woven(&self, source: &str) -> Woven {
        let shape = |mutant: &ChartMutant| ShapeMutant {
            operator: mutant.operator,
            span: mutant.span.clone(),
            replacement: mutant.replacement.clone(),
        };
        let origin = |origin: &Origin| (origin.translated.clone(), origin.chart.clone());
        Woven {
            shown: source.to_owned(),
            mutants: self.mutants.iter().map(shape).collect(),
            gates: self.woven.gates.clone(),
            origins: self.woven.origins.iter().map(origin).collect(),
            ours: self.woven.ours.clone(),
        }
    }
}

/// Where the user wrote a part of a translation: the narrowest of the places that hold it.
fn place(origins: &[Origin], span: SourceSpan) -> Option<SourceSpan> {
    let wanted = span.range();
    let holds = |origin: &&Origin| {
        origin.translated.start <= wanted.start && wanted.end <= origin.translated.end
    };
    let around = origins.iter().filter(holds);
    let origin = around.min_by_key(|origin| origin.translated.len())?;
    let shift = |at: usize| (origin.chart.start + (at - origin.translated.start)) as u32;
    Some(match origin.translated.len() == origin.chart.len() {
        true => SourceSpan {
            start: shift(wanted.start),
            end: shift(wanted.end),
        },
        false => SourceSpan {
            start: origin.chart.start as u32,
            end: origin.chart.end as u32,
        },
    })
}
