//! Lines and columns of a source text, both counted from 1, columns in characters.

/// Where the lines of a text begin.
#[derive(Clone, Debug)]
pub struct Lines<'text> {
    text: &'text str,
    /// Byte offset of each line's first character.
    starts: Vec<usize>,
}

impl<'text> Lines<'text> {
    pub fn of(text: &'text str) -> Lines<'text> {
        let after_breaks = text.match_indices('\n').map(|(offset, _)| offset + 1);
        Lines {
            text,
            starts: std::iter::once(0).chain(after_breaks).collect(),
        }
    }

    pub fn text(&self) -> &'text str {
        self.text
    }

    /// The line and column of a byte offset.
    pub fn position(&self, offset: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|&start| start <= offset);
        let column = self.text[self.starts[line - 1]..offset].chars().count() + 1;
        (as_number(line), as_number(column))
    }

    /// The byte offset of a line and column, if the text has them.
    pub fn offset(&self, line: u32, column: u32) -> Option<usize> {
        let start = *self.starts.get((line as usize).checked_sub(1)?)?;
        let text = self.line(line)?;
        let skipped = (column as usize).checked_sub(1)?;
        let mut offsets = text.char_indices().map(|(offset, _)| offset);
        let within = offsets
            .nth(skipped)
            .or_else(|| (text.chars().count() == skipped).then_some(text.len()))?;
        Some(start + within)
    }

    /// A line without its end.
    pub fn line(&self, line: u32) -> Option<&'text str> {
        let index = (line as usize).checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let end = self
            .starts
            .get(index + 1)
            .map_or(self.text.len(), |next| next - 1);
        Some(self.text[start..end].trim_end_matches('\r'))
    }

    /// How many lines there are; a text that ends with a line break has an empty last one.
    pub fn count(&self) -> u32 {
        as_number(self.starts.len())
    }
}

fn as_number(count: usize) -> u32 {
    u32::try_from(count).expect("a source file has fewer than 2^32 lines and columns")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "fn ä() {\r\n    1\n}\n";

    #[test]
    fn columns_count_characters_and_not_bytes() {
        let lines = Lines::of(TEXT);
        assert_eq!(lines.position(0), (1, 1));
        assert_eq!(lines.position(TEXT.find("()").unwrap()), (1, 5));
        assert_eq!(lines.position(TEXT.find('1').unwrap()), (2, 5));
        assert_eq!(lines.position(TEXT.len()), (4, 1));
    }

    #[test]
    fn an_offset_and_its_position_lead_to_each_other() {
        let lines = Lines::of(TEXT);
        for (offset, letter) in TEXT.char_indices().filter(|(_, l)| !l.is_whitespace()) {
            let (line, column) = lines.position(offset);
            assert_eq!(lines.offset(line, column), Some(offset), "{letter}");
        }
        for (line, column) in [(0, 1), (1, 0), (2, 7), (9, 1)] {
            assert_eq!(lines.offset(line, column), None, "{line}:{column}");
        }
    }

    #[test]
    fn a_line_comes_without_its_end() {
        let lines = Lines::of(TEXT);
        assert_eq!(lines.line(1), Some("fn ä() {"));
        assert_eq!(lines.line(2), Some("    1"));
        assert_eq!(lines.line(4), Some(""));
        assert_eq!(lines.line(5), None);
        assert_eq!(lines.count(), 4);
    }
}
