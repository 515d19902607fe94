//! Tokens to tree: models, types, classes and their sections. After an error the parser goes on at the next item,
//! so that one run reports all errors.

use super::diagnostic::{Diagnostic, Diagnostics};
use super::lexer::lex;
use super::token::{SourceSpan, Token};
use super::tree::*;

/// Parses a whole model; what did not parse is reported in `diagnostics` and left out of the tree.
pub fn parse(text: &str, diagnostics: &mut Diagnostics) -> Model {
    let tokens = lex(text, diagnostics);
    let mut parser = Parser {
        tokens: tokens.tokens,
        at: 0,
        diagnostics,
        depth: 0,
    };
    let mut model = parser.model();
    model.comments = tokens.comments;
    model
}

/// Nesting beyond this is reported instead of exhausting the stack.
const MAX_DEPTH: usize = 200;

pub(super) struct Parser<'a> {
    tokens: Vec<(Token, SourceSpan)>,
    at: usize,
    pub(super) diagnostics: &'a mut Diagnostics,
    depth: usize,
}

impl Parser<'_> {
    // ---- tokens -------------------------------------------------------------------------------------------------

    pub(super) fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    pub(super) fn peek_at(&self, ahead: usize) -> &Token {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].0
    }

    pub(super) fn span(&self) -> SourceSpan {
        self.tokens[self.at].1
    }

    pub(super) fn previous_span(&self) -> SourceSpan {
        self.tokens[self.at.saturating_sub(1)].1
    }

    pub(super) fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    pub(super) fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Symbol(found) if *found == symbol)
    }

    pub(super) fn is_keyword(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Keyword(found) if *found == word)
    }

    pub(super) fn eat_symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn eat_keyword(&mut self, word: &str) -> bool {
        let found = self.is_keyword(word);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expected(&mut self, what: &str, advice: impl Into<String>) {
        let found = self.peek().describe();
        let span = self.span();
        self.diagnostics
            .error(span, format!("expected {what}, found {found}"), advice);
    }

    pub(super) fn expect_symbol(&mut self, symbol: &str) -> bool {
        let found = self.eat_symbol(symbol);
        if !found {
            self.expected(&format!("`{symbol}`"), advice_on_symbol(symbol));
        }
        found
    }

    pub(super) fn expect_keyword(&mut self, word: &str) -> bool {
        let found = self.eat_keyword(word);
        if !found {
            self.expected(&format!("`{word}`"), advice_on_word(word));
        }
        found
    }

    pub(super) fn expect_name(&mut self, what: &str) -> Option<Name> {
        let span = self.span();
        match self.peek().clone() {
            Token::Name(text) => {
                self.advance();
                Some(Name { text, span })
            }
            Token::Keyword(word) => {
                self.diagnostics.push(
                    Diagnostic::error(span, format!("expected {what}, found the keyword `{word}`"))
                        .advice(format!("keywords can't be names; `{word}_` could")),
                );
                None
            }
            _ => {
                let advice = "a name is a letter or `_`, then letters, digits and `_`";
                self.expected(what, advice);
                None
            }
        }
    }

    /// After a body whose `end` is missing: the `;` read last belongs to the section.
    pub(super) fn back_to_separator(&mut self) {
        if self.at > 0 && matches!(self.tokens[self.at - 1].0, Token::Symbol(";")) {
            self.at -= 1;
        }
    }

    /// Runs `parse` one level deeper; too deep a nesting is an error, not a stack overflow.
    pub(super) fn nested<T>(&mut self, bad: T, parse: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            let span = self.span();
            let advice = "name a part of it: a constant, a variable, a method";
            self.diagnostics
                .error(span, "this is nested too deeply", advice);
            self.at = self.tokens.len() - 1;
            return bad;
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Skips to the next token for which `stop` holds, over whole bracketed groups.
    pub(super) fn skip_until(&mut self, stop: impl Fn(&Self) -> bool) {
        while !matches!(self.peek(), Token::End) && !stop(self) {
            self.advance();
        }
    }

    // ---- model --------------------------------------------------------------------------------------------------

    fn model(&mut self) -> Model {
        let mut model = Model {
            consts_span: self.span(),
            ..Model::default()
        };
        if self.eat_keyword("consts") {
            self.consts(&mut model);
        }
        model.types_span = self.span();
        if !self.eat_keyword("types") {
            self.expected(
                "`types`",
                "a model is `types …` with its classes, then `system …` with their order",
            );
            self.skip_until(|p| p.is_keyword("types") || p.is_keyword("system"));
            self.eat_keyword("types");
        }
        self.type_definitions(&mut model);
        model.system_span = self.span();
        if self.expect_keyword("system") {
            self.system_line(&mut model);
        }
        if !matches!(self.peek(), Token::End) {
            self.expected(
                "the end of the file after the system line",
                "classes stand before it; the line itself is `system A [] B // C`",
            );
        }
        model
    }

    fn consts(&mut self, model: &mut Model) {
        while matches!(self.peek(), Token::Name(_)) {
            let Some(name) = self.expect_name("a constant's name") else {
                break;
            };
            if self.expect_symbol("=") {
                let value = self.expression();
                model.consts.push(Const { name, value });
            }
            if !self.eat_symbol(";") && !self.is_keyword("types") {
                self.expected(
                    "`;` or `types`",
                    "constants are separated by `;`, the classes after them begin with `types`",
                );
                self.skip_until(|p| p.is_symbol(";") || p.is_keyword("types"));
                self.eat_symbol(";");
            }
        }
    }

    fn type_definitions(&mut self, model: &mut Model) {
        while !self.is_keyword("system") && !matches!(self.peek(), Token::End) {
            match self.type_definition() {
                Some(definition) => model.types.push(definition),
                None => self.skip_until(|p| p.is_symbol(";") || p.at_system_line()),
            }
            if !self.eat_symbol(";") && !self.is_keyword("system") {
                // A new definition right here means that only the semicolon is missing.
                self.expected("`;` or `system`", "types and classes are separated by `;`, the order of classes after them begins with `system`");
                if !self.at_definition() {
                    self.skip_until(|p| p.at_definition() || p.at_system_line());
                }
            }
        }
    }

    fn at_definition(&self) -> bool {
        matches!(self.peek(), Token::Name(_)) && matches!(self.peek_at(1), Token::Symbol("="))
    }

    /// `system` followed by class names up to the end: the model's last line, not a class.
    fn at_system_line(&self) -> bool {
        self.is_keyword("system")
            && matches!(self.peek_at(1), Token::Name(_))
            && matches!(
                self.peek_at(2),
                Token::End | Token::Symbol("//") | Token::Symbol("[")
            )
            && !matches!(self.peek_at(3), Token::Symbol("["))
    }

    fn type_definition(&mut self) -> Option<TypeDef> {
        let name = self.expect_name("a type's name")?;
        if !self.expect_symbol("=") {
            return None;
        }
        let class = self.is_keyword("autocons") || self.is_keyword("system");
        let body = if class {
            TypeBody::Class(Box::new(self.class()))
        } else {
            TypeBody::Type(self.type_expression())
        };
        Some(TypeDef { name, body })
    }

    fn system_line(&mut self, model: &mut Model) {
        let mut rank = Vec::new();
        loop {
            match self.expect_name("a class") {
                Some(name) => rank.push(name),
                None => {
                    self.skip_until(|_| false);
                    break;
                }
            }
            if self.eat_symbol("//") {
                model.ranks.push(std::mem::take(&mut rank));
            } else if self.at_choice() {
                self.advance();
                self.advance();
            } else {
                break;
            }
        }
        self.eat_symbol(";");
        model.ranks.push(rank);
    }

    /// `[` directly followed by `]`.
    pub(super) fn at_choice(&self) -> bool {
        self.is_symbol("[") && matches!(self.peek_at(1), Token::Symbol("]"))
    }

    // ---- types --------------------------------------------------------------------------------------------------

    pub(super) fn type_expression(&mut self) -> TypeExpr {
        let bad = TypeExpr {
            kind: TypeKind::Bad,
            span: self.span(),
        };
        self.nested(bad, |p| p.type_expression_inner())
    }

    fn type_expression_inner(&mut self) -> TypeExpr {
        let start = self.span();
        let kind = match self.peek().clone() {
            Token::Keyword("bool") => {
                self.advance();
                TypeKind::Bool
            }
            Token::Keyword(word @ ("int" | "float")) => {
                self.advance();
                self.expect_symbol("[");
                let low = self.bound();
                self.expect_symbol("..");
                let high = self.bound();
                self.expect_symbol("]");
                if word == "int" {
                    TypeKind::Int(low, high)
                } else {
                    TypeKind::Float(low, high)
                }
            }
            Token::Symbol("{") => self.enumeration(),
            Token::Keyword("list") => {
                self.advance();
                let bound = self.bracketed_bound();
                self.expect_keyword("of");
                TypeKind::List(bound, Box::new(self.type_expression()))
            }
            Token::Keyword("map") => {
                self.advance();
                let bound = self.bracketed_bound();
                let key = self.type_expression();
                self.expect_keyword("to");
                TypeKind::Map(bound, Box::new(key), Box::new(self.type_expression()))
            }
            Token::Symbol("(") => {
                self.advance();
                let mut items = vec![self.type_expression()];
                while self.eat_symbol(",") {
                    items.push(self.type_expression());
                }
                self.expect_symbol(")");
                TypeKind::Tuple(items)
            }
            Token::Name(text) => {
                self.advance();
                TypeKind::Named(text)
            }
            _ => {
                self.expected("a type", "for example `bool`, `int[0..9]`, `{Off, On}`, `list[3] of bool`, `(bool, bool)` or a name");
                TypeKind::Bad
            }
        };
        TypeExpr {
            kind,
            span: start.to(self.previous_span()),
        }
    }

    fn bracketed_bound(&mut self) -> Bound {
        self.expect_symbol("[");
        let bound = self.bound();
        self.expect_symbol("]");
        bound
    }

    fn enumeration(&mut self) -> TypeKind {
        self.expect_symbol("{");
        let mut items = Vec::new();
        loop {
            let Some(name) = self.expect_name("a value's name") else {
                self.skip_until(|p| p.is_symbol("}") || p.is_symbol(";"));
                break;
            };
            let value = self.eat_symbol("=").then(|| self.bound());
            let value = value.and_then(|bound| match bound.kind {
                BoundKind::Number(number) => Some(number),
                BoundKind::Const { .. } => {
                    self.diagnostics.error(
                        bound.span,
                        "a value of an enumeration is numbered by a literal",
                        "write the number itself; constants are not known yet here",
                    );
                    None
                }
            });
            items.push((name, value));
            if !self.eat_symbol(",") {
                break;
            }
        }
        self.expect_symbol("}");
        TypeKind::Enum(items)
    }

    fn bound(&mut self) -> Bound {
        let start = self.span();
        let negated = self.eat_symbol("-");
        let kind = match self.peek().clone() {
            Token::Int(value) => {
                self.advance();
                BoundKind::Number(if negated { -value } else { value })
            }
            Token::Name(name) => {
                self.advance();
                BoundKind::Const { name, negated }
            }
            _ => {
                self.expected(
                    "a number or a constant",
                    "bounds are whole numbers or names from `consts`",
                );
                BoundKind::Number(0)
            }
        };
        Bound {
            kind,
            span: start.to(self.previous_span()),
        }
    }

    // ---- classes ------------------------------------------------------------------------------------------------

    fn class(&mut self) -> Class {
        let start = self.span();
        let autocons = self.eat_keyword("autocons");
        self.expect_keyword("system");
        let parent = if self.eat_symbol("(") {
            let parent = self.expect_name("the superclass");
            self.expect_symbol(")");
            parent
        } else {
            None
        };
        let mut class = Class {
            autocons,
            parent,
            attributes: Vec::new(),
            methods: Vec::new(),
            actions: Vec::new(),
            block: None,
            words: SectionWords::default(),
            span: start,
        };
        self.class_open();
        self.sections(&mut class);
        self.class_close();
        class.span = start.to(self.previous_span());
        class
    }

    fn class_open(&mut self) {
        let opened = (self.is_symbol("|") || self.is_symbol("["))
            && matches!(self.peek_at(1), Token::Symbol("["));
        if opened {
            self.advance();
            self.advance();
        } else {
            self.expected("`|[`", "a class is `system |[ … ]|`");
        }
    }

    pub(super) fn at_class_close(&self) -> bool {
        self.is_symbol("]") && matches!(self.peek_at(1), Token::Symbol("|") | Token::Symbol("]"))
    }

    fn class_close(&mut self) {
        if !self.at_class_close() {
            self.expected(
                "`]|`",
                "every `|[` is closed by its own `]|`, after the `od` of the class",
            );
            self.skip_until(|p| p.at_class_close() || p.at_definition() || p.at_system_line());
        }
        if self.at_class_close() {
            self.advance();
            self.advance();
        }
    }

    fn sections(&mut self, class: &mut Class) {
        loop {
            let word = self.span().start;
            if self.eat_keyword("var") {
                class.words.var = word;
                let attributes = self.attributes(|p| p.at_section());
                class.attributes.extend(attributes);
            } else if self.eat_keyword("methods") {
                class.words.methods = word;
                self.methods(class);
            } else if self.eat_keyword("actions") {
                class.words.actions = word;
                self.actions(class);
            } else if self.eat_keyword("do") {
                let span = self.previous_span();
                let empty = self.is_keyword("od");
                class.words.block = word;
                let block = (!empty).then(|| self.block());
                class.words.block_end = self.span().start;
                self.expect_keyword("od");
                if class.block.replace(block).is_some() {
                    let advice =
                        "put the alternatives of both into one block, with `[]` between them";
                    self.diagnostics
                        .error(span, "a class has one do-od block", advice);
                }
            } else if self.at_class_close() || matches!(self.peek(), Token::End) {
                return;
            } else {
                self.expected(
                    "`var`, `methods`, `actions`, `do` or `]|`",
                    "sections come in this order; each may be left out",
                );
                self.skip_until(|p| p.at_section() || p.at_definition() || p.at_system_line());
                if !self.at_section() {
                    return;
                }
            }
        }
    }

    pub(super) fn at_section(&self) -> bool {
        ["var", "methods", "actions", "do"]
            .iter()
            .any(|word| self.is_keyword(word))
            || self.at_class_close()
    }

    /// Attributes or local variables, up to where `done` holds.
    pub(super) fn attributes(&mut self, done: impl Fn(&Self) -> bool) -> Vec<Attribute> {
        let mut attributes = Vec::new();
        while !done(self) && !matches!(self.peek(), Token::End) {
            match self.attribute() {
                Some(attribute) => attributes.push(attribute),
                None => self.skip_until(|p| p.is_symbol(";") || done(p)),
            }
            if !self.eat_symbol(";") && !done(self) {
                self.expected(
                    "`;`",
                    "variables are separated by `;`, names of one type by `,`",
                );
                if !matches!(self.peek(), Token::Name(_)) {
                    self.skip_until(|p| p.is_symbol(";") || done(p));
                    self.eat_symbol(";");
                }
            }
        }
        attributes
    }

    fn attribute(&mut self) -> Option<Attribute> {
        let mut names = vec![self.expect_name("a variable's name")?];
        while self.eat_symbol(",") {
            names.push(self.expect_name("a variable's name")?);
        }
        if !self.expect_symbol(":") {
            return None;
        }
        let ty = self.type_expression();
        let init = self.eat_symbol("=").then(|| self.expression());
        Some(Attribute { names, ty, init })
    }

    fn methods(&mut self, class: &mut Class) {
        while !self.at_section() && !matches!(self.peek(), Token::End) {
            if self.is_keyword("obs") || self.is_keyword("ctr") {
                let span = self.span();
                self.diagnostics.error(
                    span,
                    "an action stands among the methods",
                    "write `actions` before the first of them",
                );
                self.action_item(class);
                continue;
            }
            match self.method() {
                Some(method) => {
                    class.methods.push(method);
                    self.item_end();
                }
                None => self.skip_until(|p| p.at_item_header() || p.at_section()),
            }
        }
    }

    fn actions(&mut self, class: &mut Class) {
        while !self.at_section() && !matches!(self.peek(), Token::End) {
            self.action_item(class);
        }
    }

    fn action_item(&mut self, class: &mut Class) {
        match self.action() {
            Some(action) => {
                class.actions.push(action);
                self.item_end();
            }
            None => self.skip_until(|p| p.at_item_header() || p.at_section()),
        }
    }

    fn item_end(&mut self) {
        if !self.eat_symbol(";") && !self.at_section() {
            self.expected(
                "`;`",
                "methods and actions end with `end` and are separated by `;`",
            );
            self.skip_until(|p| p.at_item_header() || p.at_section());
        }
    }

    /// The head of a method or action: a name, then perhaps parameters and a type, then `=`.
    pub(super) fn at_item_header(&self) -> bool {
        if self.is_keyword("obs") || self.is_keyword("ctr") {
            return true;
        }
        if !matches!(self.peek(), Token::Name(_)) {
            return false;
        }
        let mut ahead = 1;
        if matches!(self.peek_at(1), Token::Symbol("(")) {
            // No keyword but a type's stands in parameters: a bracket that is never closed is not followed far.
            let stop = |token: &Token| {
                matches!(
                    token,
                    Token::Symbol(")" | ":=")
                        | Token::Keyword("requires" | "end" | "od")
                        | Token::End
                )
            };
            while !stop(self.peek_at(ahead)) {
                ahead += 1;
            }
            ahead += 1;
        }
        match self.peek_at(ahead) {
            Token::Symbol("=") => true,
            Token::Symbol(":") => {
                let stop =
                    |token: &Token| matches!(token, Token::Symbol("=" | ";" | ":=") | Token::End);
                while !stop(self.peek_at(ahead)) {
                    ahead += 1;
                }
                matches!(self.peek_at(ahead), Token::Symbol("="))
            }
            _ => false,
        }
    }

    fn method(&mut self) -> Option<Method> {
        let start = self.span();
        let name = self.expect_name("a method's name")?;
        let params = self.params();
        let result = self.eat_symbol(":").then(|| self.type_expression());
        if !self.expect_symbol("=") {
            return None;
        }
        let locals = self.locals();
        let body = self.block();
        self.expect_keyword("end");
        Some(Method {
            name,
            params,
            result,
            locals,
            body,
            span: start.to(self.previous_span()),
        })
    }

    fn action(&mut self) -> Option<Action> {
        let start = self.span();
        let kind = if self.eat_keyword("obs") {
            ActionKind::Observable
        } else if self.eat_keyword("ctr") {
            ActionKind::Controllable
        } else {
            ActionKind::Internal
        };
        let name = self.expect_name("an action's name")?;
        let params = self.params();
        if !self.expect_symbol("=") {
            return None;
        }
        let locals = self.locals();
        if !self.is_keyword("requires") {
            let span = self.span();
            self.diagnostics.push(
                Diagnostic::error(
                    span,
                    format!("the action `{}` must be a guarded command", name.text),
                )
                .advice("write `requires true: … end` if it is always enabled"),
            );
            return None;
        }
        let body = self.guarded_command();
        Some(Action {
            kind,
            name,
            params,
            locals,
            body,
            span: start.to(self.previous_span()),
        })
    }

    fn locals(&mut self) -> Vec<Attribute> {
        if !self.eat_keyword("var") {
            return Vec::new();
        }
        let locals = self.attributes(|p| {
            p.is_keyword("begin") || p.is_keyword("requires") || p.is_keyword("end")
        });
        self.expect_keyword("begin");
        locals
    }

    fn params(&mut self) -> Vec<Param> {
        let mut params = Vec::new();
        if !self.eat_symbol("(") {
            return params;
        }
        while !self.is_symbol(")") {
            let mut names = Vec::new();
            while let Some(name) = self.expect_name("a parameter's name") {
                names.push(name);
                if !self.eat_symbol(",") {
                    break;
                }
            }
            if names.is_empty() || !self.expect_symbol(":") {
                self.skip_until(|p| p.is_symbol(")") || p.is_symbol("=") || p.at_section());
                break;
            }
            let ty = self.type_expression();
            params.extend(names.into_iter().map(|name| Param {
                name,
                ty: ty.clone(),
            }));
            if !self.eat_symbol(",") && !self.eat_symbol(";") {
                break;
            }
        }
        self.expect_symbol(")");
        params
    }
}

fn advice_on_symbol(symbol: &str) -> String {
    match symbol {
        ")" | "]" | "}" => format!("a bracket before is still open; `{symbol}` closes it"),
        ":=" => "an assignment is `variable := value`; `=` compares".into(),
        "=" => "a definition is `name = …`, also of types, methods and actions".into(),
        ":" => {
            "a colon stands between a name and its type, and after a guard: `requires p : … end`"
                .into()
        }
        ".." => "a range is written `[0..9]`".into(),
        _ => format!("write `{symbol}` here"),
    }
}

fn advice_on_word(word: &str) -> String {
    match word {
        "end" => {
            "methods, guarded commands and `if` are each closed by an `end` of their own".into()
        }
        "od" => "the block is `do … od`, with `[]` between alternatives".into(),
        "system" => {
            "the last line is `system` with the classes in their order: `system A // B`".into()
        }
        "then" | "else" => "a choice between values is `if p then a else b end`".into(),
        "of" => "a list's type is `list[3] of bool`".into(),
        "to" => "a map's type is `map[3] bool to int[0..9]`".into(),
        "begin" => "local variables stand between `var` and `begin`".into(),
        _ => format!("write `{word}` here"),
    }
}
