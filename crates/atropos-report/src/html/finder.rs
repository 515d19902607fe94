//! The list of all mutants with its filters. It is empty without the script, which fills it.

use std::fmt::Write;

use super::add;
use super::escape::escaped;
use super::mutant::{class, number_of, verdicts, word};
use super::tables::by_operator;
use crate::outcomes::Outcomes;

/// The form, and a place for what it finds.
pub(super) fn finder(page: &mut String, outcomes: &Outcomes) {
    add(
        page,
        "<section id=\"mutants\" class=\"js\"><h2>All mutants</h2><form id=\"filter\" role=\"search\">\
         <label>Search <input type=\"search\" id=\"words\" placeholder=\"words of the place, the change, a test …\" \
         autocomplete=\"off\" spellcheck=\"false\"></label> <label>Operator <select id=\"operator\">\
         <option value=\"\">all</option>",
    );
    for (operator, totals) in by_operator(outcomes) {
        let (code, sentence) = (operator.code(), escaped(operator.sentence()));
        let number = totals.mutants;
        write!(
            page,
            "<option value=\"{code}\">{code} ({number}): {sentence}</option>"
        )
        .expect("a string takes everything");
    }
    add(page, "</select></label> <fieldset><legend>Verdict</legend>");
    for verdict in verdicts() {
        let number = number_of(&outcomes.totals, verdict);
        if number > 0 {
            let (class, word) = (class(verdict), word(verdict));
            write!(
                page,
                "<label class=\"chip {class}\"><input type=\"checkbox\" name=\"v\" value=\"{class}\" checked> \
                 {word} <small>{number}</small></label> "
            )
            .expect("a string takes everything");
        }
    }
    add(
        page,
        "</fieldset></form><p id=\"found\" role=\"status\"></p><ul id=\"list\" class=\"plain\"></ul>\
         <p><button type=\"button\" id=\"more\">show more</button></p></section>\n",
    );
}
