//! Ranges, taken apart.

use proc_macro2::TokenStream;
use syn::Expr;
use syn::spanned::Spanned;

use crate::arms::parse;

/// A range with both ends.
pub(crate) struct RangeEnds {
    /// Where `..` or `..=` stands in the text.
    pub limits: std::ops::Range<usize>,
    pub is_inclusive: bool,
    /// The ends, without their white space.
    pub tokens: [String; 2],
}

impl RangeEnds {
    pub fn of(text: &str) -> Option<RangeEnds> {
        let Some(Expr::Range(range)) = parse(text) else {
            return None;
        };
        let limits = range.limits.span().byte_range();
        let tokens = |text: &str| {
            let tokens: TokenStream = text.parse().ok()?;
            (!tokens.is_empty()).then(|| tokens.to_string())
        };
        Some(RangeEnds {
            tokens: [tokens(&text[..limits.start])?, tokens(&text[limits.end..])?],
            is_inclusive: matches!(range.limits, syn::RangeLimits::Closed(_)),
            limits,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ranges_with_both_ends_are_taken_apart() {
        let ends = RangeEnds::of("a.b ..= f( 1 )").unwrap();
        assert_eq!(ends.limits, 4..7);
        assert!(ends.is_inclusive);
        assert_eq!(ends.tokens, RangeEnds::of("a . b..f(1)").unwrap().tokens);
        assert!(RangeEnds::of("..b").is_none());
        assert!(RangeEnds::of("a..").is_none());
        assert!(RangeEnds::of("a + b").is_none());
    }
}
