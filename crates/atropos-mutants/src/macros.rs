//! Macros: the arguments of a few that everyone knows are code like any other; all else is left
//! alone, since only the macro knows what its tokens mean.

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, Item, Macro, Meta, Pat, Token, braced};

use crate::attributes::implies_test;
use crate::expressions::ExpressionRole;
use crate::mutant::Shape;
use crate::operator::Operator;
use crate::skip_rules;
use crate::walk::{Draft, Walker};

impl Walker<'_> {
    pub fn expression_macro(&mut self, mac: &Macro, whole: &Expr) {
        self.concurrent_macro(mac);
        let Some(last) = mac.path.segments.last() else {
            return;
        };
        match last.ident.to_string().trim_start_matches("r#") {
            "vec" => self.vec_macro(mac),
            "matches" => self.matches_macro(mac),
            "try" => self.try_macro(mac, whole),
            "cfg_if" => self.item_macro(mac),
            _ => {}
        }
    }

    fn vec_macro(&mut self, mac: &Macro) {
        let Ok(body) = mac.parse_body::<VecBody>() else {
            return;
        };
        match body {
            VecBody::List(elements) => {
                let array = Expr::Array(syn::ExprArray {
                    attrs: Vec::new(),
                    bracket_token: syn::token::Bracket::default(),
                    elems: elements,
                });
                self.expression(&array, ExpressionRole::Value, None);
            }
            VecBody::Repeat(repeat) => {
                let (element, length) = *repeat;
                self.expression(&element, ExpressionRole::Value, None);
                let usize_type = syn::parse_quote!(usize);
                self.expression(&length, ExpressionRole::Value, Some(&usize_type));
            }
        }
    }

    fn matches_macro(&mut self, mac: &Macro) {
        let Ok(body) = mac.parse_body::<MatchesBody>() else {
            return;
        };
        self.expression(&body.scrutinee, ExpressionRole::Place, None);
        if let Some(guard) = &body.guard {
            self.frame.scopes.enter();
            self.frame.scopes.bind(&body.pattern, None);
            self.guard(guard);
            self.frame.scopes.leave();
        }
    }

    /// `try!(f())`, the question mark of the edition of 2015.
    fn try_macro(&mut self, mac: &Macro, whole: &Expr) {
        let Ok(inner) = mac.parse_body::<Expr>() else {
            return;
        };
        if !skip_rules::is_result_of_writing(self.frame.returns.as_ref()) {
            let span = self.source.span(whole);
            let replacement = format!("({}).unwrap_or_default()", self.source.flat(&inner));
            let summary = "replace try! with .unwrap_or_default()".to_string();
            let draft = Draft::new(Operator::Qmr, span, replacement, summary);
            self.point(span, Shape::Expression, vec![draft]);
        }
        self.expression(&inner, ExpressionRole::Value, None);
    }

    /// `cfg_if!` holds items, and modules with files of their own.
    pub fn item_macro(&mut self, mac: &Macro) {
        let is_cfg_if = mac
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident == "cfg_if");
        if !is_cfg_if {
            return;
        }
        let Ok(body) = mac.parse_body::<CfgIf>() else {
            return;
        };
        let mut before: Vec<(usize, String)> = Vec::new();
        for branch in &body.branches {
            let mut cfg: Vec<(usize, String)> = before
                .iter()
                .map(|(start, text)| (*start, format!("not({text})")))
                .collect();
            let mut is_test = false;
            if let Some(predicate) = &branch.predicate {
                let span = self.source.span(predicate);
                let text = self.source.flat(predicate);
                is_test = implies_test(predicate);
                cfg.push((span.start, text.clone()));
                before.push((span.start, text));
            }
            self.under_cfg(cfg, is_test, |walker| walker.items(&branch.items));
        }
    }
}

enum VecBody {
    List(Punctuated<Expr, Token![,]>),
    Repeat(Box<(Expr, Expr)>),
}

impl Parse for VecBody {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut elements = Punctuated::new();
        while !input.is_empty() {
            let element: Expr = input.parse()?;
            if elements.is_empty() && input.peek(Token![;]) {
                input.parse::<Token![;]>()?;
                let length = input.parse()?;
                return Ok(VecBody::Repeat(Box::new((element, length))));
            }
            elements.push_value(element);
            if input.is_empty() {
                break;
            }
            elements.push_punct(input.parse()?);
        }
        Ok(VecBody::List(elements))
    }
}

/// `matches!(scrutinee, pattern if guard)`.
struct MatchesBody {
    scrutinee: Expr,
    pattern: Pat,
    guard: Option<Expr>,
}

impl Parse for MatchesBody {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let scrutinee = input.parse()?;
        input.parse::<Token![,]>()?;
        let pattern = Pat::parse_multi_with_leading_vert(input)?;
        let guard = if input.peek(Token![if]) {
            input.parse::<Token![if]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        input.parse::<Option<Token![,]>>()?;
        Ok(MatchesBody {
            scrutinee,
            pattern,
            guard,
        })
    }
}

/// `if #[cfg(a)] { … } else if #[cfg(b)] { … } else { … }`.
struct CfgIf {
    branches: Vec<CfgBranch>,
}

struct CfgBranch {
    predicate: Option<Meta>,
    items: Vec<Item>,
}

impl Parse for CfgIf {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut branches = Vec::new();
        loop {
            let predicate = if input.peek(Token![if]) {
                input.parse::<Token![if]>()?;
                let attributes = input.call(syn::Attribute::parse_outer)?;
                let attribute = attributes
                    .first()
                    .ok_or_else(|| input.error("expected `#[cfg(…)]`"))?;
                Some(attribute.parse_args()?)
            } else {
                None
            };
            let content;
            braced!(content in input);
            let mut items = Vec::new();
            while !content.is_empty() {
                items.push(content.parse()?);
            }
            let is_final = predicate.is_none();
            branches.push(CfgBranch { predicate, items });
            if is_final || !input.peek(Token![else]) {
                return Ok(CfgIf { branches });
            }
            input.parse::<Token![else]>()?;
        }
    }
}
