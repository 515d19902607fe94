//! OOAS text in, syntax tree out: tokens, parsing with recovery, diagnostics, and the pretty printer.

pub mod diagnostic;
pub mod lexer;
mod parse_expression;
mod parse_statement;
pub mod parser;
mod print_code;
pub mod printer;
pub mod token;
pub mod tree;

pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use parser::parse;
pub use printer::format_text;
pub use token::SourceSpan;
