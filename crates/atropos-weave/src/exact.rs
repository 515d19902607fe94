//! Which mutants can be decided by values without changing what they mean.
//!
//! A form that evaluates the operands first and then asks the runtime is exact for `a - b` in place
//! of `a + b`. It is not for `a` in place of `a + f()`: there the mutant would not call `f`. Such a
//! mutant needs a form that decides before anything is evaluated, and since the runtime is asked
//! once per point, it needs a point of its own: [`find_points`] gives it one.

use atropos_mutants::mutant::{FileMutants, Mutant, Point, Shape, Span};
use atropos_mutants::{FindOptions, ParseError, find_mutants};

use crate::arms::parse;
use crate::effects::{ExpressionEffects, effects_of};

/// Finds the mutants of a file, in points as they can be woven. Their numbers are still to be given.
pub fn find_points(source: &str, options: &FindOptions) -> Result<FileMutants, ParseError> {
    let mut file = find_mutants(source, options)?;
    split_points(source, &mut file);
    Ok(file)
}

/// Gives the mutants that leave out an evaluation that could be noticed a point of their own.
fn split_points(source: &str, file: &mut FileMutants) {
    let points = std::mem::take(&mut file.points);
    for point in points {
        let is_exact: Vec<bool> = point
            .mutants
            .iter()
            .map(|mutant| is_exact_by_values(source, &point, mutant))
            .collect();
        if !has_values(&point.shape) || is_exact.iter().all(|&exact| exact) {
            file.points.push(point);
            continue;
        }
        let Point { mutants, .. } = &point;
        let part = |wanted: bool| -> Vec<Mutant> {
            let chosen = mutants.iter().zip(&is_exact);
            chosen
                .filter(|(_, exact)| **exact == wanted)
                .map(|(mutant, _)| mutant.clone())
                .collect()
        };
        let (by_values, before) = (part(true), part(false));
        file.points.push(Point {
            shape: Shape::Expression,
            mutants: before,
            ..point.clone()
        });
        if !by_values.is_empty() {
            file.points.push(Point {
                mutants: by_values,
                ..point
            });
        }
    }
}

/// Whether the runtime can decide on the values at points of this shape.
fn has_values(shape: &Shape) -> bool {
    matches!(
        shape,
        Shape::Arithmetic { .. } | Shape::Relation { .. } | Shape::Logic { .. } | Shape::Condition
    )
}

/// Whether a mutant evaluates what the original evaluates, or leaves out only what nobody notices.
pub(crate) fn is_exact_by_values(source: &str, point: &Point, mutant: &Mutant) -> bool {
    let is_silent = |span: Span| {
        parse(span.text(source)).is_some_and(|expr| effects_of(&expr) == ExpressionEffects::None)
    };
    match (&point.shape, mutant.letter) {
        (_, '.') => false,
        (Shape::Arithmetic { right, .. }, 'L') => is_silent(*right),
        (Shape::Arithmetic { left, .. }, 'R') => is_silent(*left),
        (Shape::Relation { left, right, .. }, 'T' | 'F') => is_silent(*left) && is_silent(*right),
        (Shape::Logic { left, .. }, 'R') => is_silent(*left),
        (Shape::Condition, 'T' | 'F') => is_silent(point.span),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{mutant, point};

    #[test]
    fn leaving_out_a_call_needs_a_point_of_its_own() {
        let source = "a + f()";
        let shape = Shape::Arithmetic {
            left: Span::new(0, 1),
            right: Span::new(4, 7),
            op: '+',
        };
        let whole = Span::new(0, 7);
        let mutants = vec![
            mutant(Span::new(2, 3), "-", '-'),
            mutant(whole, "a", 'L'),
            mutant(whole, "f()", 'R'),
        ];
        let mut file = FileMutants {
            points: vec![point(whole, shape.clone(), mutants)],
            ..FileMutants::default()
        };
        split_points(source, &mut file);
        let letters = |point: &Point| -> String {
            point.mutants.iter().map(|mutant| mutant.letter).collect()
        };
        assert_eq!(file.points.len(), 2);
        assert_eq!(letters(&file.points[0]), "L");
        assert_eq!(file.points[0].shape, Shape::Expression);
        assert_eq!(letters(&file.points[1]), "-R");
        assert_eq!(file.points[1].shape, shape);
    }

    #[test]
    fn points_on_plain_operands_stay_whole() {
        let source = "a.len() < b";
        let shape = Shape::Relation {
            left: Span::new(0, 7),
            right: Span::new(10, 11),
            op: '<',
        };
        let whole = Span::new(0, 11);
        let points = vec![point(whole, shape, vec![mutant(whole, "true", 'T')])];
        let mut file = FileMutants {
            points: points.clone(),
            ..FileMutants::default()
        };
        split_points(source, &mut file);
        assert_eq!(file.points, points);
    }
}
