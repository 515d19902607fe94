//! Leaves points alone that lie too deep within others. A sum of hundreds of terms is hundreds of points within each
//! other, for which rustc takes time that grows with their square, and more stack than it has.

use atropos_mutants::mutant::{FileMutants, Point};

use crate::FileForms;

/// So many points may lie around a point. What people write has a few dozen.
const MOST: usize = 200;

/// What is said of mutants that are left out.
const REASON: &str = "more than 200 places that can be changed lie around it";

/// Drops the mutants of all points of a file that lie too deep.
pub fn drop_the_deepest(forms: &mut FileForms, file: &FileMutants) {
    for point in too_deep(&file.points, MOST) {
        for mutant in &point.mutants {
            forms.drop_mutant(mutant.id, REASON);
        }
    }
}

fn too_deep(points: &[Point], most: usize) -> Vec<&Point> {
    let mut sorted: Vec<&Point> = points.iter().collect();
    // Stable, so that of equal spans the outer one stays first.
    sorted.sort_by_key(|point| (point.span.start, usize::MAX - point.span.end));
    let mut around: Vec<usize> = Vec::new();
    let mut deep = Vec::new();
    for point in sorted {
        around.retain(|end| point.span.start < *end);
        if around.len() > most {
            deep.push(point);
        }
        around.push(point.span.end);
    }
    deep
}

#[cfg(test)]
mod tests {
    use atropos_mutants::mutant::MutantId;
    use atropos_mutants::{FindOptions, find_mutants};

    use super::*;

    #[test]
    fn the_innermost_of_a_long_sum_are_left_out_and_nothing_else() {
        let sum = ["x"; 300].join(" + ");
        let text =
            format!("fn long(x: u32) -> u32 {{ {sum} }} fn short(x: u32) -> u32 {{ x + x }}");
        let mut file = find_mutants(&text, &FindOptions::default()).unwrap();
        let all = file.points.iter_mut().flat_map(|point| &mut point.mutants);
        for (number, mutant) in (1..).zip(all) {
            mutant.id = MutantId(number);
        }
        let mut forms = FileForms::default();
        drop_the_deepest(&mut forms, &file);
        let is_dropped = |point: &&Point| {
            point
                .mutants
                .iter()
                .all(|mutant| forms.is_dropped(mutant.id))
        };
        let (dropped, kept): (Vec<&Point>, Vec<&Point>) = file.points.iter().partition(is_dropped);
        assert!(
            !dropped.is_empty() && kept.len() > 200,
            "{} {}",
            dropped.len(),
            kept.len()
        );
        assert!(dropped.iter().all(|point| point.function == "long"));
        assert!(too_deep(&file.points, 1000).is_empty());
    }
}
