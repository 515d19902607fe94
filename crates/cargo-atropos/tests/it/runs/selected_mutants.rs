//! Runs of a part of the mutants: shards, changed lines, and what the last run has not caught.

use std::collections::BTreeMap;

use crate::runs::tree::Tree;

/// Verdicts without how mutants were killed: that depends on the first test that kills them, and which
/// one is the cheapest may differ from run to run.
fn verdicts_by_mutant(verdicts: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let without_cause = |verdict: String| verdict.split(" (").next().unwrap_or_default().to_owned();
    let verdicts_by_mutant = verdicts
        .into_iter()
        .map(|(name, verdict)| (name, without_cause(verdict)));
    verdicts_by_mutant.collect()
}

#[test]
fn shards_changed_lines_and_iterations_cover_what_they_should() {
    let tree = Tree::of("misbehaving_mutants");
    let some = |more: &[&str]| tree.run(&[&["-f", "src/manners.rs"], more].concat());
    let whole = some(&[]).has_code(2);
    assert_eq!(whole.outcomes().mutants.len(), whole.verdicts().len());
    assert!(
        whole
            .outcomes()
            .mutants
            .iter()
            .all(|mutant| mutant.info.file == "src/manners.rs")
    );

    let mut sum = BTreeMap::new();
    for shard in ["0/3", "1/3", "2/3"] {
        let part = some(&["--shard", shard]);
        let name = format!("part-{}.json", &shard[..1]);
        tree.write(&name, &tree.read("target/atropos/outcomes.json"));
        let before = sum.len();
        sum.extend(part.verdicts());
        assert_eq!(
            sum.len(),
            before + part.outcomes().mutants.len(),
            "shards do not overlap"
        );
    }
    assert_eq!(
        verdicts_by_mutant(sum),
        verdicts_by_mutant(whole.verdicts())
    );
    let merge = ["merge", "part-2.json", "part-0.json", "part-1.json"];
    let merged = tree.run(&merge).has_code(2);
    assert_eq!(
        verdicts_by_mutant(merged.verdicts()),
        verdicts_by_mutant(whole.verdicts())
    );
    let merged = merged.outcomes();
    assert!(merged.complete && merged.parts.len() == 3);
    assert_eq!(merged.selected_of, whole.outcomes().selected_of);

    let diff = "--- a/src/manners.rs\n+++ b/src/manners.rs\n@@ -18,3 +18,3 @@\n \
                pub fn weight(n: u32) -> u32 {\n-    n * 11\n+    n * 12\n }\n";
    tree.write("change.diff", diff);
    // The usual place by another way.
    let arguments = ["--in-diff", "change.diff", "-o", "src/../target/atropos"];
    let changed = tree.run(&arguments).has_code(0);
    let verdicts = verdicts_by_mutant(changed.verdicts());
    assert!(
        verdicts.values().all(|verdict| verdict == "killed"),
        "{verdicts:?}"
    );
    let mut functions = changed
        .outcomes()
        .mutants
        .iter()
        .map(|mutant| &mutant.info.function);
    assert!(functions.len() > 3 && functions.all(|function| function == "weight"));

    let before = some(&[]).has_code(2);
    tree.edit("src/lib.rs", "    #[ignore = \"for another day\"]\n", "");
    let after = some(&["--iterate"]).has_code(2);
    let after = after.verdicts();
    let mut newly_killed = 0;
    for (name, verdict) in before.verdicts() {
        let expected = match verdict.as_str() {
            killed if killed.starts_with("killed") => "skipped",
            "unreached" => {
                newly_killed += 1;
                "killed (panicked)"
            }
            still => still,
        };
        assert_eq!(after[&name], expected, "{name}, before {verdict}");
    }
    assert!(newly_killed > 2);
}
