//! Tree to text in one style: `model fmt`. Printing what was printed changes nothing, and comments are kept: those
//! on their own line stay before what follows them, all others go to the end of the line they stand in.

use super::diagnostic::Diagnostics;
use super::parser::parse;
use super::token::Comment;
use super::tree::*;
use std::collections::VecDeque;

/// Formats a model's text.
///
/// # Errors
/// The findings, if the text does not parse.
pub fn format_text(text: &str) -> Result<String, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let model = parse(text, &mut diagnostics);
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    Ok(print(&model))
}

/// The text of a model in the one style.
pub fn print(model: &Model) -> String {
    let mut printer = Printer {
        out: String::new(),
        indent: 0,
        comments: model.comments.iter().cloned().collect(),
    };
    printer.model(model);
    printer.out
}

pub(super) const WIDTH: usize = 100;

pub(super) struct Printer {
    pub(super) out: String,
    pub(super) indent: usize,
    comments: VecDeque<Comment>,
}

impl Printer {
    pub(super) fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// Appends to the last line.
    pub(super) fn append(&mut self, text: &str) {
        debug_assert!(self.out.ends_with('\n'), "lines are complete");
        self.out.pop();
        self.out.push_str(text);
        self.out.push('\n');
    }

    pub(super) fn indented(&mut self, print: impl FnOnce(&mut Self)) {
        self.indent += 1;
        print(self);
        self.indent -= 1;
    }

    /// Prints the comments that stand before `position` in the source.
    pub(super) fn comments_before(&mut self, position: u32) {
        while self
            .comments
            .front()
            .is_some_and(|comment| comment.span.start < position)
        {
            let Some(comment) = self.comments.pop_front() else {
                return;
            };
            if comment.own_line || self.out.is_empty() {
                self.line(&comment.text);
            } else {
                self.append(&format!(" {}", comment.text));
            }
        }
    }

    fn model(&mut self, model: &Model) {
        if !model.consts.is_empty() {
            self.comments_before(model.consts_span.start);
            self.line("consts");
            self.indented(|p| p.consts(&model.consts));
        }
        self.comments_before(model.types_span.start);
        self.line("types");
        self.indented(|p| {
            for (at, definition) in model.types.iter().enumerate() {
                p.comments_before(definition.name.span.start);
                p.type_definition(definition);
                if at + 1 < model.types.len() {
                    p.append(";");
                }
            }
        });
        self.comments_before(model.system_span.start);
        self.line("system");
        let ranks: Vec<String> = model
            .ranks
            .iter()
            .map(|rank| {
                rank.iter()
                    .map(|name| name.text.as_str())
                    .collect::<Vec<_>>()
                    .join(" [] ")
            })
            .collect();
        let first = model.ranks.first().and_then(|rank| rank.first());
        self.comments_before(first.map_or(0, |name| name.span.start));
        self.indented(|p| p.line(&ranks.join(" // ")));
        self.comments_before(u32::MAX);
    }

    fn consts(&mut self, consts: &[Const]) {
        for (at, constant) in consts.iter().enumerate() {
            self.comments_before(constant.name.span.start);
            let semicolon = if at + 1 < consts.len() { ";" } else { "" };
            self.line(&format!(
                "{} = {}{semicolon}",
                constant.name.text,
                expression(&constant.value)
            ));
        }
    }

    fn type_definition(&mut self, definition: &TypeDef) {
        let name = &definition.name.text;
        match &definition.body {
            TypeBody::Type(ty) => self.line(&format!("{name} = {}", type_text(ty))),
            TypeBody::Class(class) => {
                let autocons = if class.autocons { "autocons " } else { "" };
                let parent = class
                    .parent
                    .as_ref()
                    .map_or(String::new(), |parent| format!(" ({})", parent.text));
                self.line(&format!("{name} = {autocons}system{parent}"));
                self.line("|[");
                self.indented(|p| p.class(class));
                self.comments_before(class.span.end);
                self.line("]|");
            }
        }
    }

    fn class(&mut self, class: &Class) {
        if !class.attributes.is_empty() {
            self.comments_before(class.words.var);
            self.line("var");
            self.indented(|p| p.attributes(&class.attributes));
        }
        if !class.methods.is_empty() {
            self.comments_before(class.words.methods);
            self.line("methods");
            self.indented(|p| p.items(&class.methods, |m| m.span.start, Self::method));
        }
        if !class.actions.is_empty() {
            self.comments_before(class.words.actions);
            self.line("actions");
            self.indented(|p| p.items(&class.actions, |a| a.span.start, Self::action));
        }
        let Some(block) = &class.block else { return };
        self.comments_before(class.words.block);
        self.line("do");
        if let Some(block) = block {
            self.indented(|p| p.statement(block));
        }
        self.comments_before(class.words.block_end);
        self.line("od");
    }

    fn items<T>(&mut self, items: &[T], start: impl Fn(&T) -> u32, print: impl Fn(&mut Self, &T)) {
        for (at, item) in items.iter().enumerate() {
            self.comments_before(start(item));
            print(self, item);
            if at + 1 < items.len() {
                self.append(";");
            }
        }
    }

    fn attributes(&mut self, attributes: &[Attribute]) {
        self.items(
            attributes,
            |a| a.names[0].span.start,
            |p, attribute| {
                let names: Vec<&str> = attribute
                    .names
                    .iter()
                    .map(|name| name.text.as_str())
                    .collect();
                let init = attribute
                    .init
                    .as_ref()
                    .map_or(String::new(), |init| format!(" = {}", expression(init)));
                p.line(&format!(
                    "{}: {}{init}",
                    names.join(", "),
                    type_text(&attribute.ty)
                ));
            },
        );
    }

    fn locals(&mut self, locals: &[Attribute]) {
        if !locals.is_empty() {
            self.line("var");
            self.indented(|p| p.attributes(locals));
            self.line("begin");
        }
    }

    fn method(&mut self, method: &Method) {
        let result = method
            .result
            .as_ref()
            .map_or(String::new(), |ty| format!(": {}", type_text(ty)));
        self.line(&format!(
            "{}{}{result} =",
            method.name.text,
            params_text(&method.params)
        ));
        self.indented(|p| {
            p.locals(&method.locals);
            p.statement(&method.body);
            p.comments_before(method.span.end);
        });
        self.line("end");
    }

    fn action(&mut self, action: &Action) {
        let kind = match action.kind {
            ActionKind::Observable => "obs ",
            ActionKind::Controllable => "ctr ",
            ActionKind::Internal => "",
        };
        self.line(&format!(
            "{kind}{}{} =",
            action.name.text,
            params_text(&action.params)
        ));
        self.indented(|p| {
            p.locals(&action.locals);
            p.statement(&action.body);
        });
    }
}

fn params_text(params: &[Param]) -> String {
    if params.is_empty() {
        String::new()
    } else {
        format!("({})", variables(params, ", "))
    }
}

pub(super) fn variables(params: &[Param], separator: &str) -> String {
    let texts: Vec<String> = params
        .iter()
        .map(|p| format!("{}: {}", p.name.text, type_text(&p.ty)))
        .collect();
    texts.join(separator)
}

pub use super::print_code::{expression, fixed_text, type_text};
