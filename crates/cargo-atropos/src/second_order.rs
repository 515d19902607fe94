//! `--order 2`: mutants that make two changes at once, each a pair of mutants of one concurrency operator in two
//! functions of a file (two notifications, two orderings …).
//!
//! A pair has no text of its own: under exploration the switch lets both of its mutants act. It is numbered after the
//! single mutants and is in no file. Pairs in one function are not made: where one mutant is a copy of code around the
//! other, the two could not act together.
//!
//! There are many pairs, so they are sampled: at most as many as there are single mutants of these operators, chosen by
//! a hash of their keys, so that a later run chooses the same ones.

use std::collections::BTreeSet;

use atropos_mutants::mutant::MutantId;
use atropos_mutants::operator::Category;
use atropos_report::mutant::MutantInfo;
use atropos_report::stable_hash::StableHash;
use atropos_values::SecondOrderMutant;

use crate::plan::Plan;

/// Adds a sample of pairs to a plan.
pub fn add(plan: &mut Plan) {
    let singles: Vec<&MutantInfo> = plan
        .mutants
        .iter()
        .filter(|info| info.operator.category() == Category::Concurrency)
        .collect();
    let mut pairs: Vec<(u64, &MutantInfo, &MutantInfo)> = Vec::new();
    for (index, first) in singles.iter().enumerate() {
        for second in &singles[index + 1..] {
            if may_act_together(first, second) {
                let order = StableHash::default().text(&first.key).text(&second.key);
                pairs.push((order.finish(), first, second));
            }
        }
    }
    pairs.sort_by_key(|(order, first, second)| (*order, first.id, second.id));
    pairs.truncate(singles.len());
    pairs.sort_by_key(|(_, first, second)| (first.id, second.id));
    let from = plan.mutants.len() as u32 + 1;
    let made: Vec<(SecondOrderMutant, MutantInfo)> = pairs
        .into_iter()
        .zip(from..)
        .map(|((_, first, second), number)| second_order_mutant(first, second, MutantId(number)))
        .collect();
    for (pair, info) in made {
        plan.pairs.push(pair);
        plan.mutants.push(info);
    }
    for (info, number) in plan.skipped.iter_mut().zip(plan.mutants.len() as u32 + 1..) {
        info.id = MutantId(number);
    }
}

fn may_act_together(first: &MutantInfo, second: &MutantInfo) -> bool {
    first.operator == second.operator
        && (&first.package, &first.file) == (&second.package, &second.file)
        && first.function != second.function
}

fn second_order_mutant(
    first: &MutantInfo,
    second: &MutantInfo,
    id: MutantId,
) -> (SecondOrderMutant, MutantInfo) {
    let pair = SecondOrderMutant {
        id,
        parts: [first.id, second.id],
    };
    let info = MutantInfo {
        id,
        key: format!("{}+{}", first.key, second.key),
        summary: format!(
            "{}, and in line {} {}",
            first.summary, second.line, second.summary
        ),
        needs_exploration: true,
        ..first.clone()
    };
    (pair, info)
}

/// Adds the pairs whose mutants were both built to what was built.
pub fn complete(built: &mut BTreeSet<MutantId>, plan: &Plan) {
    for pair in &plan.pairs {
        if pair.parts.iter().all(|part| built.contains(part)) {
            built.insert(pair.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atropos_mutants::mutant::Span;
    use atropos_mutants::operator::Operator;

    fn info(number: u32, operator: Operator, function: &str) -> MutantInfo {
        MutantInfo {
            id: MutantId(number),
            key: format!("key {number}"),
            package: "p".into(),
            file: "src/lib.rs".into(),
            line: number,
            column: 1,
            span: Span::new(0, 1),
            function: function.into(),
            operator,
            original: "a".into(),
            replacement: "b".into(),
            summary: format!("change {number}"),
            needs_exploration: false,
        }
    }

    fn plan(mutants: Vec<MutantInfo>) -> Plan {
        Plan {
            workspace_root: "/w".into(),
            target_directory: "/w/target".into(),
            packages: Vec::new(),
            are_used_at_build_time: false,
            mutants,
            skipped: vec![info(9, Operator::Rna, "z")],
            pairs: Vec::new(),
        }
    }

    #[test]
    fn pairs_are_of_one_operator_and_two_functions_and_numbered_behind_the_others() {
        let mut plan = plan(vec![
            info(1, Operator::Rna, "put"),
            info(2, Operator::Rna, "put"),
            info(3, Operator::Rna, "get"),
            info(4, Operator::Rvk, "get"),
            info(5, Operator::Aor, "put"),
            info(6, Operator::Aor, "get"),
        ]);
        add(&mut plan);
        let pairs: Vec<[u32; 3]> = plan
            .pairs
            .iter()
            .map(|pair| [pair.id.0, pair.parts[0].0, pair.parts[1].0])
            .collect();
        assert_eq!(pairs, [[7, 1, 3], [8, 2, 3]]);
        assert_eq!(plan.mutants.len(), 8);
        assert_eq!(plan.mutants[6].summary, "change 1, and in line 3 change 3");
        assert!(plan.mutants[6].needs_exploration);
        assert_eq!(plan.skipped[0].id, MutantId(9));
    }

    #[test]
    fn there_are_not_more_pairs_than_single_mutants_and_always_the_same() {
        let functions = ["a", "b", "c", "d", "e", "f"];
        let all = functions.iter().zip(1..);
        let mutants: Vec<MutantInfo> = all.map(|(f, n)| info(n, Operator::Rna, f)).collect();
        let mut one = plan(mutants.clone());
        let mut other = plan(mutants);
        add(&mut one);
        add(&mut other);
        assert_eq!(one.pairs.len(), 6);
        assert_eq!(one.pairs, other.pairs);
    }

    #[test]
    fn a_pair_is_built_if_both_of_its_mutants_are() {
        let mut plan = plan(vec![
            info(1, Operator::Rna, "put"),
            info(2, Operator::Rna, "get"),
        ]);
        add(&mut plan);
        let mut built = BTreeSet::from([MutantId(1)]);
        complete(&mut built, &plan);
        assert_eq!(built.len(), 1);
        built.insert(MutantId(2));
        complete(&mut built, &plan);
        assert!(built.contains(&MutantId(3)));
    }
}
