//! Any text inside a page: nothing of it is markup, and all of it can be seen.

/// Appends a text so that it can stand between tags and in quoted attributes.
///
/// Control characters, which HTML does not allow, and those that reorder or break what stands around
/// them are written so that people see them.
pub(crate) fn push(page: &mut String, text: &str) {
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '&' => page.push_str("&amp;"),
            '<' => page.push_str("&lt;"),
            '>' => page.push_str("&gt;"),
            '"' => page.push_str("&quot;"),
            '\'' => page.push_str("&#39;"),
            '\n' | '\t' => page.push(letter),
            // The end of a line on some systems.
            '\r' if letters.peek() == Some(&'\n') => {}
            '\0'..='\u{1f}' => page.push(picture(letter)),
            '\u{7f}' => page.push('␡'),
            '\u{80}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fdd0}'..='\u{fdef}' => {
                page.push_str(&format!("\\u{{{:x}}}", u32::from(letter)));
            }
            letter => page.push(letter),
        }
    }
}

/// The letter that stands for a control character: `␛`.
fn picture(control: char) -> char {
    char::from_u32(0x2400 + u32::from(control)).unwrap_or('\u{fffd}')
}

/// A text that can stand between tags and in quoted attributes.
pub(crate) fn escaped(text: &str) -> String {
    let mut page = String::with_capacity(text.len() + 16);
    push(&mut page, text);
    page
}

/// A sentence of ours, with what stands between backticks as code.
pub(crate) fn prose(text: &str) -> String {
    let mut page = String::with_capacity(text.len() + 16);
    let mut parts = text.split('`').peekable();
    let mut is_code = false;
    while let Some(part) = parts.next() {
        // A last backtick without another one is just that.
        match (is_code, parts.peek().is_some()) {
            (true, true) => page.push_str(&format!("<code>{}</code>", escaped(part))),
            (true, false) => page.push_str(&format!("`{}", escaped(part))),
            (false, _) => push(&mut page, part),
        }
        is_code = !is_code;
    }
    page
}

/// Characters of a message, schedule or trace; `cargo atropos show` tells all.
const MOST_LETTERS: usize = 20_000;

/// A text that may be very long, without its middle.
pub(crate) fn long_text(text: &str) -> String {
    if text.len() <= MOST_LETTERS {
        return escaped(text);
    }
    let half = MOST_LETTERS / 2;
    let head = text.floor_char_boundary(half);
    let tail = text.ceil_char_boundary(text.len() - half);
    let left_out = text[head..tail].chars().count();
    format!(
        "{}\n… {left_out} characters left out …\n{}",
        escaped(&text[..head]),
        escaped(&text[tail..])
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_backticks_is_code() {
        for (text, expected) in [
            ("`a<b` is", "<code>a&lt;b</code> is"),
            ("a `b` and `c`", "a <code>b</code> and <code>c</code>"),
            ("one ` alone", "one ` alone"),
            ("", ""),
        ] {
            assert_eq!(prose(text), expected);
        }
    }

    #[test]
    fn nothing_is_markup_and_everything_is_seen() {
        for (text, expected) in [
            ("a < b && c > d", "a &lt; b &amp;&amp; c &gt; d"),
            ("</script><!--", "&lt;/script&gt;&lt;!--"),
            ("\"'", "&quot;&#39;"),
            ("a\tb\r\nc\rd", "a\tb\nc␍d"),
            ("\0\u{1b}[31m\u{7f}\u{85}", "␀␛[31m␡\\u{85}"),
            ("\u{2028}\u{202e}\u{feff}", "\\u{2028}\\u{202e}\\u{feff}"),
            ("größe 🦀", "größe 🦀"),
        ] {
            assert_eq!(escaped(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_very_long_text_loses_its_middle_between_letters() {
        let text = "é".repeat(MOST_LETTERS);
        let shown = long_text(&text);
        assert!(shown.len() < MOST_LETTERS + 100);
        assert!(
            shown.contains("\n… 10000 characters left out …\n"),
            "{}",
            shown.len()
        );
    }
}
