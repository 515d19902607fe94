//! OOAS statements while they are put together, and how they are laid out as text.

use super::scope::visible_length;

/// A statement, as the translation thinks of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeText {
    /// One simple statement.
    Line(String, LineEffect),
    /// A remark for the reader above a statement.
    Remark(String, Box<CodeText>),
    /// One after the other (`;`).
    Sequence(Vec<CodeText>),
    /// Any of them (`[]`).
    Choice(Vec<CodeText>),
    /// The first that is enabled (`//`).
    Ranked(Vec<CodeText>),
    /// Only where the condition holds (`requires`).
    When(String, Box<CodeText>),
}

/// Whether the order of a statement among others can be noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEffect {
    /// Bookkeeping of one region: any order gives the same.
    Quiet,
    /// Observations, events and the user's own statements.
    Noticed,
}

impl CodeText {
    /// Does nothing.
    pub fn skip() -> CodeText {
        CodeText::Sequence(Vec::new())
    }

    /// A statement of the translation's own bookkeeping.
    pub fn quiet(text: impl Into<String>) -> CodeText {
        CodeText::Line(text.into(), LineEffect::Quiet)
    }

    /// A statement whose order among others matters.
    pub fn noticed(text: impl Into<String>) -> CodeText {
        CodeText::Line(text.into(), LineEffect::Noticed)
    }

    /// One after the other, flattened.
    pub fn sequence(parts: impl IntoIterator<Item = CodeText>) -> CodeText {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                CodeText::Sequence(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() == 1 {
            return flat.remove(0);
        }
        CodeText::Sequence(flat)
    }

    /// Any of them; a single one stands alone.
    pub fn choice(mut parts: Vec<CodeText>) -> CodeText {
        if parts.len() == 1 {
            return parts.remove(0);
        }
        CodeText::Choice(parts)
    }

    /// The first enabled one; a single one stands alone.
    pub fn ranked(parts: Vec<CodeText>) -> CodeText {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                CodeText::Ranked(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() == 1 {
            return flat.remove(0);
        }
        CodeText::Ranked(flat)
    }

    /// Only where `condition` holds.
    pub fn when(condition: impl Into<String>, body: CodeText) -> CodeText {
        CodeText::When(condition.into(), Box::new(body))
    }

    /// With a remark above it.
    pub fn remarked(remark: impl Into<String>, body: CodeText) -> CodeText {
        CodeText::Remark(remark.into(), Box::new(body))
    }

    /// Does nothing at all.
    pub fn is_skip(&self) -> bool {
        match self {
            CodeText::Sequence(parts) => parts.iter().all(CodeText::is_skip),
            CodeText::Remark(_, inner) => inner.is_skip(),
            _ => false,
        }
    }

    /// Whether it can surely be executed. The user's own statements, which stand in brackets, may be disabled.
    pub fn is_always_enabled(&self) -> bool {
        match self {
            CodeText::Line(text, _) => !text.starts_with('('),
            CodeText::Remark(_, inner) => inner.is_always_enabled(),
            CodeText::When(..) => false,
            CodeText::Sequence(parts) => parts.iter().all(CodeText::is_always_enabled),
            CodeText::Choice(parts) | CodeText::Ranked(parts) => {
                parts.iter().any(CodeText::is_always_enabled)
            }
        }
    }

    /// Whether its order among others can be noticed.
    pub fn effect(&self) -> LineEffect {
        let noticed = match self {
            CodeText::Line(_, effect) => *effect == LineEffect::Noticed,
            CodeText::Remark(_, inner) | CodeText::When(_, inner) => {
                inner.effect() == LineEffect::Noticed
            }
            CodeText::Sequence(parts) | CodeText::Choice(parts) | CodeText::Ranked(parts) => parts
                .iter()
                .any(|part| part.effect() == LineEffect::Noticed),
        };
        if noticed {
            LineEffect::Noticed
        } else {
            LineEffect::Quiet
        }
    }

    /// How many lines of statements it has, roughly.
    pub fn size(&self) -> usize {
        match self {
            CodeText::Line(..) => 1,
            CodeText::Remark(_, inner) => inner.size(),
            CodeText::When(_, inner) => 1 + inner.size(),
            CodeText::Sequence(parts) | CodeText::Choice(parts) | CodeText::Ranked(parts) => {
                parts.iter().map(CodeText::size).sum()
            }
        }
    }

    /// The statement as text, every line indented by `depth` steps; no line end after the last line.
    pub fn print(&self, depth: usize) -> String {
        let pad = "  ".repeat(depth);
        match self {
            CodeText::Line(text, _) => format!("{pad}{text}"),
            CodeText::Remark(remark, inner) => format!("{pad}# {remark}\n{}", inner.print(depth)),
            CodeText::When(condition, body) => print_when(condition, body, depth),
            CodeText::Sequence(parts) => {
                let parts: Vec<&CodeText> = parts.iter().filter(|part| !part.is_skip()).collect();
                if parts.is_empty() {
                    return format!("{pad}skip");
                }
                join(&parts, ";\n", depth, |part| {
                    matches!(part, CodeText::Choice(_) | CodeText::Ranked(_))
                })
            }
            CodeText::Choice(parts) => {
                let parts: Vec<&CodeText> = parts.iter().collect();
                join(&parts, &format!("\n{pad}[]\n"), depth, |part| {
                    matches!(part, CodeText::Ranked(_))
                })
            }
            CodeText::Ranked(parts) => {
                let parts: Vec<&CodeText> = parts.iter().collect();
                join(&parts, &format!("\n{pad}//\n"), depth, |_| false)
            }
        }
    }
}

fn print_when(condition: &str, body: &CodeText, depth: usize) -> String {
    let pad = "  ".repeat(depth);
    if let CodeText::Line(text, _) = body
        && visible_length(condition) + visible_length(text) < 90
    {
        return format!("{pad}requires {condition}: {text} end");
    }
    format!(
        "{pad}requires {condition}:\n{}\n{pad}end",
        body.print(depth + 1)
    )
}

/// Prints the parts with `between` them, those that `needs_brackets` in brackets.
fn join(
    parts: &[&CodeText],
    between: &str,
    depth: usize,
    needs_brackets: impl Fn(&CodeText) -> bool,
) -> String {
    let printed: Vec<String> = parts
        .iter()
        .map(|part| print_operand(part, depth, &needs_brackets))
        .collect();
    printed.join(between)
}

fn print_operand(
    part: &CodeText,
    depth: usize,
    needs_brackets: &impl Fn(&CodeText) -> bool,
) -> String {
    let pad = "  ".repeat(depth);
    match part {
        CodeText::Remark(remark, inner) => format!(
            "{pad}# {remark}\n{}",
            print_operand(inner, depth, needs_brackets)
        ),
        part if needs_brackets(part) => format!("{pad}(\n{}\n{pad})", part.print(depth + 1)),
        part => part.print(depth),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_inside_sequences_get_brackets_and_priorities_inside_choices_too() {
        let one = || CodeText::noticed("A()");
        let two = || CodeText::noticed("B()");
        let either = CodeText::choice(vec![
            CodeText::sequence([one(), two()]),
            CodeText::ranked(vec![two(), one()]),
        ]);
        let whole = CodeText::sequence([CodeText::quiet("x := 1"), either]);
        assert_eq!(
            whole.print(0),
            "x := 1;\n(\n  A();\n  B()\n  []\n  (\n    B()\n    //\n    A()\n  )\n)"
        );
    }

    #[test]
    fn an_empty_sequence_is_skip_and_vanishes_inside_another() {
        assert_eq!(CodeText::skip().print(1), "  skip");
        let only = CodeText::sequence([CodeText::skip(), CodeText::noticed("A()")]);
        assert_eq!(only, CodeText::noticed("A()"));
    }

    #[test]
    fn short_guarded_commands_stand_on_one_line() {
        let code = CodeText::when("x = 1", CodeText::noticed("A()"));
        assert_eq!(code.print(0), "requires x = 1: A() end");
    }
}
