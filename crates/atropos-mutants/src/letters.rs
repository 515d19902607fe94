//! The operators that the letters of a [`Shape`](crate::Shape) stand for.

/// The operator on values behind a letter of `Shape::Arithmetic` or `Shape::Assignment`.
pub fn arithmetic_text(letter: char) -> Option<&'static str> {
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
pub fn relation_text(letter: char) -> Option<&'static str> {
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
