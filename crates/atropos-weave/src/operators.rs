//! The operators that the letters of a shape stand for.

/// The operator on values behind a letter of `Shape::Arithmetic` or `Shape::Assignment`.
pub(crate) fn arithmetic_text(letter: char) -> Option<&'static str> {
    Some(match letter {
        '+' => "+",
        '-' => "-",
        '*' => "*",
        '/' => "/",
        '%' => "%",
        '&' => "&",
        '|' => "|",
        '^' => "^",
        'l' => "<<",
        'r' => ">>",
        _ => return None,
    })
}

/// The comparison behind a letter of `Shape::Relation`.
pub(crate) fn relation_text(letter: char) -> Option<&'static str> {
    Some(match letter {
        '<' => "<",
        '>' => ">",
        'l' => "<=",
        'g' => ">=",
        '=' => "==",
        '!' => "!=",
        _ => return None,
    })
}
