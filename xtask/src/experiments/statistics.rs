//! The χ² test of independence for two by two counts.

/// χ² (with one degree of freedom, uncorrected) of the table a, b / c, d; none if a row or column
/// is empty, for then there is nothing to test.
pub fn chi_squared(a: usize, b: usize, c: usize, d: usize) -> Option<f64> {
    let [a, b, c, d] = [a, b, c, d].map(|count| count as f64);
    let product = (a + b) * (c + d) * (a + c) * (b + d);
    let difference = a * d - b * c;
    (product > 0.0).then(|| (a + b + c + d) * difference * difference / product)
}

/// The probability of a χ² at least as large with one degree of freedom: erfc(√(x/2)).
pub fn p_value(chi_squared: f64) -> f64 {
    complementary_error_function((chi_squared / 2.0).sqrt())
}

/// By its power series for small arguments, by its continued fraction for large ones.
fn complementary_error_function(x: f64) -> f64 {
    if x < 2.0 {
        let mut term = x;
        let mut sum = x;
        for n in 1..200 {
            let n = f64::from(n);
            term *= -x * x / n;
            sum += term / (2.0 * n + 1.0);
        }
        return 1.0 - sum * 2.0 / std::f64::consts::PI.sqrt();
    }
    // x + (1/2)/(x + (2/2)/(x + (3/2)/(x + …))), from the inside out.
    let fraction = (1..=60)
        .rev()
        .fold(x, |below, n| x + f64::from(n) / 2.0 / below);
    (-x * x).exp() / (fraction * std::f64::consts::PI.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_come_out() {
        for (chi_squared, expected) in [
            (0.0, 1.0),
            (0.454_94, 0.5),
            (3.841_46, 0.05),
            (6.634_9, 0.01),
            (10.827_57, 0.001),
            (15.136_7, 0.000_1),
        ] {
            let p = p_value(chi_squared);
            let is_near = (p - expected).abs() <= expected * 1e-4;
            assert!(is_near, "{chi_squared}: {p}, not {expected}");
        }
    }

    #[test]
    fn independent_counts_have_no_chi_squared() {
        assert_eq!(chi_squared(10, 20, 30, 60), Some(0.0));
        assert_eq!(chi_squared(0, 0, 5, 5), None);
        let table = chi_squared(10, 2, 4, 8).unwrap();
        assert!((table - 6.171_4).abs() < 1e-3, "{table}");
    }
}
