//! OOAS statements while they are put together, and how they are laid out as text.

use super::scope::visible_length;

/// A statement, as the translation thinks of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    /// One simple statement.
    Line(String, LineEffect),
    /// A remark for the reader above a statement.
    Remark(String, Box<Code>),
    /// One after the other (`;`).
    Sequence(Vec<Code>),
    /// Any of them (`[]`).
    Choice(Vec<Code>),
    /// The first that is enabled (`//`).
    Ranked(Vec<Code>),
    /// Only where the condition holds (`requires`).
    When(String, Box<Code>),
}

/// Whether the order of a statement among others can be noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEffect {
    /// Bookkeeping of one region: any order gives the same.
    Quiet,
    /// Observations, events and the user's own statements.
    Noticed,
}

impl Code {
    /// Does nothing.
    pub fn skip() -> Code {
        Code::Sequence(Vec::new())
    }

    /// A statement of the translation's own bookkeeping.
    pub fn quiet(text: impl Into<String>) -> Code {
        Code::Line(text.into(), LineEffect::Quiet)
    }

    /// A statement whose order among others matters.
    pub fn noticed(text: impl Into<String>) -> Code {
        Code::Line(text.into(), LineEffect::Noticed)
    }

    /// One after the other, flattened.
    pub fn sequence(parts: impl IntoIterator<Item = Code>) -> Code {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Code::Sequence(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() == 1 {
            return flat.remove(0);
        }
        Code::Sequence(flat)
    }

    /// Any of them; a single one stands alone.
    pub fn choice(mut parts: Vec<Code>) -> Code {
        if parts.len() == 1 {
            return parts.remove(0);
        }
        Code::Choice(parts)
    }

    /// The first enabled one; a single one stands alone.
    pub fn ranked(parts: Vec<Code>) -> Code {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Code::Ranked(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() == 1 {
            return flat.remove(0);
        }
        Code::Ranked(flat)
    }

    /// Only where `condition` holds.
    pub fn when(condition: impl Into<String>, body: Code) -> Code {
        Code::When(condition.into(), Box::new(body))
    }

    /// With a remark above it.
    pub fn remarked(remark: impl Into<String>, body: Code) -> Code {
        Code::Remark(remark.into(), Box::new(body))
    }

    /// Does nothing at all.
    pub fn is_skip(&self) -> bool {
        match self {
            Code::Sequence(parts) => parts.iter().all(Code::is_skip),
            Code::Remark(_, inner) => inner.is_skip(),
            _ => false,
        }
    }

    /// Whether it can surely be executed. The user's own statements, which stand in brackets, may be disabled.
    pub fn is_always_enabled(&self) -> bool {
        match self {
            Code::Line(text, _) => !text.starts_with('('),
            Code::Remark(_, inner) => inner.is_always_enabled(),
            Code::When(..) => false,
            Code::Sequence(parts) => parts.iter().all(Code::is_always_enabled),
            Code::Choice(parts) | Code::Ranked(parts) => parts.iter().any(Code::is_always_enabled),
        }
    }

    /// Whether its order among others can be noticed.
    pub fn effect(&self) -> LineEffect {
        let noticed = match self {
            Code::Line(_, effect) => *effect == LineEffect::Noticed,
            Code::Remark(_, inner) | Code::When(_, inner) => inner.effect() == LineEffect::Noticed,
            Code::Sequence(parts) | Code::Choice(parts) | Code::Ranked(parts) => parts
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
            Code::Line(..) => 1,
            Code::Remark(_, inner) => inner.size(),
            Code::When(_, inner) => 1 + inner.size(),
            Code::Sequence(parts) | Code::Choice(parts) | Code::Ranked(parts) => {
                parts.iter().map(Code::size).sum()
            }
        }
    }

    /// The statement as text, every line indented by `depth` steps; no line end after the last line.
    pub fn print(&self, depth: usize) -> String {
        let pad = "  ".repeat(depth);
        match self {
            Code::Line(text, _) => format!("{pad}{text}"),
            Code::Remark(remark, inner) => format!("{pad}# {remark}\n{}", inner.print(depth)),
            Code::When(condition, body) => print_when(condition, body, depth),
            Code::Sequence(parts) => {
                let parts: Vec<&Code> = parts.iter().filter(|part| !part.is_skip()).collect();
                if parts.is_empty() {
                    return format!("{pad}skip");
                }
                join(&parts, ";\n", depth, |part| {
                    matches!(part, Code::Choice(_) | Code::Ranked(_))
                })
            }
            Code::Choice(parts) => {
                let parts: Vec<&Code> = parts.iter().collect();
                join(&parts, &format!("\n{pad}[]\n"), depth, |part| {
                    matches!(part, Code::Ranked(_))
                })
            }
            Code::Ranked(parts) => {
                let parts: Vec<&Code> = parts.iter().collect();
                join(&parts, &format!("\n{pad}//\n"), depth, |_| false)
            }
        }
    }
}

fn print_when(condition: &str, body: &Code, depth: usize) -> String {
    let pad = "  ".repeat(depth);
    if let Code::Line(text, _) = body
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
    parts: &[&Code],
    between: &str,
    depth: usize,
    needs_brackets: impl Fn(&Code) -> bool,
) -> String {
    let printed: Vec<String> = parts
        .iter()
        .map(|part| print_operand(part, depth, &needs_brackets))
        .collect();
    printed.join(between)
}

fn print_operand(part: &Code, depth: usize, needs_brackets: &impl Fn(&Code) -> bool) -> String {
    let pad = "  ".repeat(depth);
    match part {
        Code::Remark(remark, inner) => format!(
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
        let one = || Code::noticed("A()");
        let two = || Code::noticed("B()");
        let either = Code::choice(vec![
            Code::sequence([one(), two()]),
            Code::ranked(vec![two(), one()]),
        ]);
        let whole = Code::sequence([Code::quiet("x := 1"), either]);
        assert_eq!(
            whole.print(0),
            "x := 1;\n(\n  A();\n  B()\n  []\n  (\n    B()\n    //\n    A()\n  )\n)"
        );
    }

    #[test]
    fn an_empty_sequence_is_skip_and_vanishes_inside_another() {
        assert_eq!(Code::skip().print(1), "  skip");
        let only = Code::sequence([Code::skip(), Code::noticed("A()")]);
        assert_eq!(only, Code::noticed("A()"));
    }

    #[test]
    fn short_guarded_commands_stand_on_one_line() {
        let code = Code::when("x = 1", Code::noticed("A()"));
        assert_eq!(code.print(0), "requires x = 1: A() end");
    }
}
