//! Reads values as `Debug` writes them, and the names of their types.

/// A value as derived `Debug` writes it.
#[derive(Clone, Debug, PartialEq)]
pub enum DebugValue {
    /// As it stands, also `NaN` and `-inf`.
    Number(String),
    /// With its quotes.
    Text(String),
    Char(String),
    /// A name alone: `true`, `None`, a variant without data.
    Word(String),
    Tuple(Vec<DebugValue>),
    List(Vec<DebugValue>),
    /// A name with values behind it: `Some(1)`.
    Called(String, Vec<DebugValue>),
    Fields(String, Vec<(String, DebugValue)>),
}

/// A type by its name.
#[derive(Clone, Debug, PartialEq)]
pub enum NamedType {
    Reference(Box<NamedType>),
    Slice(Box<NamedType>),
    Array(Box<NamedType>),
    Tuple(Vec<NamedType>),
    /// The path without its arguments.
    Path(String, Vec<NamedType>),
}

impl NamedType {
    /// The last name of a path.
    pub fn name(&self) -> &str {
        match self {
            NamedType::Path(path, _) => path.rsplit("::").next().unwrap_or(path),
            _ => "",
        }
    }

    pub fn argument(&self, index: usize) -> Option<&NamedType> {
        match self {
            NamedType::Path(_, arguments) => arguments.get(index),
            _ => None,
        }
    }
}

/// Reads all of a text; none if it is anything else.
pub fn value(text: &str) -> Option<DebugValue> {
    let mut reader = Reader { rest: text };
    let value = reader.value(0)?;
    reader.rest.trim().is_empty().then_some(value)
}

pub fn named_type(text: &str) -> Option<NamedType> {
    let mut reader = Reader { rest: text };
    let ty = reader.named_type(0)?;
    reader.rest.trim().is_empty().then_some(ty)
}

/// Nothing that is nested deeper is worth an assertion.
const DEEPEST: usize = 8;

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn skip(&mut self, wanted: &str) -> Option<()> {
        self.rest = self.rest.trim_start().strip_prefix(wanted)?;
        Some(())
    }

    fn take_while(&mut self, is_in: impl Fn(char) -> bool) -> &'t str {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|letter| !is_in(letter));
        let (taken, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        taken
    }

    /// What stands in quotes, with them.
    fn quoted(&mut self, quote: char) -> Option<String> {
        let mut is_escaped = false;
        for (index, letter) in self.rest.char_indices().skip(1) {
            match letter {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                _ if letter == quote => {
                    let (taken, rest) = self.rest.split_at(index + quote.len_utf8());
                    self.rest = rest;
                    return Some(taken.to_owned());
                }
                _ => {}
            }
        }
        None
    }

    /// What `read` reads, with commas between, up to the end.
    fn list<T>(
        &mut self,
        end: &str,
        mut read: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut list = Vec::new();
        loop {
            if self.skip(end).is_some() {
                return Some(list);
            }
            list.push(read(self)?);
            if self.skip(",").is_none() {
                self.skip(end)?;
                return Some(list);
            }
        }
    }

    fn value(&mut self, depth: usize) -> Option<DebugValue> {
        if depth > DEEPEST {
            return None;
        }
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next()?;
        match first {
            '"' => Some(DebugValue::Text(self.quoted('"')?)),
            '\'' => Some(DebugValue::Char(self.quoted('\'')?)),
            '(' => {
                self.skip("(")?;
                let parts = self.list(")", |reader| reader.value(depth + 1))?;
                Some(DebugValue::Tuple(parts))
            }
            '[' => {
                self.skip("[")?;
                let parts = self.list("]", |reader| reader.value(depth + 1))?;
                Some(DebugValue::List(parts))
            }
            '-' | '0'..='9' => self.number(),
            _ => self.named(depth),
        }
    }

    fn number(&mut self) -> Option<DebugValue> {
        let start = self.rest;
        let _ = self.skip("-");
        if self.skip("inf").is_none() {
            let digits = self.take_while(|letter| letter.is_ascii_digit() || letter == '.');
            if !digits.starts_with(|letter: char| letter.is_ascii_digit()) || digits.contains("..")
            {
                return None;
            }
            if self.rest.starts_with('e') {
                self.skip("e")?;
                let _ = self.skip("-");
                self.take_while(|letter| letter.is_ascii_digit());
            }
        }
        // A unit behind it, as `Duration` has.
        if self
            .rest
            .starts_with(|letter: char| letter.is_alphanumeric() || letter == '_')
        {
            return None;
        }
        let length = start.len() - self.rest.len();
        Some(DebugValue::Number(start[..length].to_owned()))
    }

    fn named(&mut self, depth: usize) -> Option<DebugValue> {
        let name = self
            .take_while(|letter| letter.is_alphanumeric() || letter == '_')
            .to_owned();
        match name.as_str() {
            "" => return None,
            "NaN" | "inf" => return Some(DebugValue::Number(name)),
            _ => {}
        }
        if self.rest.starts_with('(') {
            self.skip("(")?;
            let parts = self.list(")", |reader| reader.value(depth + 1))?;
            return Some(DebugValue::Called(name, parts));
        }
        if self.rest.starts_with(" {") {
            self.skip("{")?;
            let fields = self.list("}", |reader| {
                let field = reader
                    .take_while(|letter| letter.is_alphanumeric() || letter == '_')
                    .to_owned();
                reader.skip(":")?;
                Some((field, reader.value(depth + 1)?))
            })?;
            return Some(DebugValue::Fields(name, fields));
        }
        Some(DebugValue::Word(name))
    }

    fn named_type(&mut self, depth: usize) -> Option<NamedType> {
        if depth > DEEPEST {
            return None;
        }
        if self.skip("&").is_some() {
            if self.rest.starts_with('\'') {
                self.skip("'")?;
                self.take_while(char::is_alphanumeric);
            }
            let _ = self.skip("mut ");
            return Some(NamedType::Reference(Box::new(self.named_type(depth + 1)?)));
        }
        if self.skip("(").is_some() {
            let parts = self.list(")", |reader| reader.named_type(depth + 1))?;
            return Some(NamedType::Tuple(parts));
        }
        if self.skip("[").is_some() {
            let element = Box::new(self.named_type(depth + 1)?);
            if self.skip("]").is_some() {
                return Some(NamedType::Slice(element));
            }
            self.skip(";")?;
            self.take_while(|letter| letter.is_alphanumeric() || letter == '_');
            self.skip("]")?;
            return Some(NamedType::Array(element));
        }
        let path = self.take_while(|letter| letter.is_alphanumeric() || "_:".contains(letter));
        if path.is_empty() {
            return None;
        }
        let path = path.trim_end_matches("::").to_owned();
        let arguments = match self.rest.starts_with('<') {
            false => Vec::new(),
            true => {
                self.skip("<")?;
                let all = self.list(">", |reader| {
                    if reader.skip("'").is_some() {
                        reader.take_while(|letter| letter.is_alphanumeric() || letter == '_');
                        return Some(None);
                    }
                    Some(Some(reader.named_type(depth + 1)?))
                })?;
                all.into_iter().flatten().collect()
            }
        };
        Some(NamedType::Path(path, arguments))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_debug_is_read_and_anything_else_is_not() {
        for text in [
            "5",
            "-1.5e-7",
            "NaN",
            "-inf",
            r#""a \"b\", c""#,
            "'\\''",
            "[1, 2]",
            "()",
            "(1, [])",
            "Some(\"x\")",
            "Point { x: 1, y: None }",
            "Err(Beyond { missing: 1 })",
        ] {
            assert!(value(text).is_some(), "{text}");
        }
        for text in [
            "1.5s",
            "{1: 2}",
            "Mutex { data: 1, .. }",
            "a b",
            "0x7f",
            "<f>",
            "",
            "5 apples",
        ] {
            assert_eq!(value(text), None, "{text}");
        }
        let parts = vec![("x".to_owned(), DebugValue::Number("1".to_owned()))];
        assert_eq!(
            value("P { x: 1 }"),
            Some(DebugValue::Fields("P".to_owned(), parts))
        );
    }

    #[test]
    fn names_of_types_are_read() {
        let path = |name: &str, arguments| NamedType::Path(name.to_owned(), arguments);
        assert_eq!(
            named_type("core::option::Option<&str>"),
            Some(path(
                "core::option::Option",
                vec![NamedType::Reference(Box::new(path("str", Vec::new())))]
            ))
        );
        let array = NamedType::Array(Box::new(path("u8", Vec::new())));
        assert_eq!(named_type("[u8; 3]"), Some(array));
        assert_eq!(named_type("a::B<'_>"), Some(path("a::B", Vec::new())));
        assert_eq!(named_type("a::f::{{closure}}"), None);
        assert_eq!(
            named_type("alloc::vec::Vec<(i32, bool)>").unwrap().name(),
            "Vec"
        );
    }
}
