//! The paper's own figures: Krenn and Schlick, "Mutation-driven Test Case Generation Using Short-lived Concurrent
//! Mutants", Tables 3 to 5, 40 workers (M2: S1 with 24; with 40 it made one test only).

/// Of one model.
pub struct Paper {
    pub model: &'static str,
    pub objects: usize,
    pub statements: usize,
    pub attributes: usize,
    pub state_kib: f64,
    pub controllables: usize,
    pub mutants: usize,
    pub initial_steps: usize,
    /// S1 and S2.
    pub runs: [Option<Run>; 2],
}

/// Of one run.
pub struct Run {
    pub found: usize,
    pub errors: usize,
    pub killed: usize,
    pub of_total: f64,
    pub of_found: f64,
    pub time: &'static str,
    pub steps: [usize; 5],
}

const fn run(
    counts: [usize; 3],
    of_total: f64,
    of_found: f64,
    time: &'static str,
    steps: [usize; 5],
) -> Option<Run> {
    Some(Run {
        found: counts[0],
        errors: counts[1],
        killed: counts[2],
        of_total,
        of_found,
        time,
        steps,
    })
}

#[rustfmt::skip]
pub const PAPER: [Paper; 7] = [
    Paper { model: "m1", objects: 1, statements: 362, attributes: 34, state_kib: 0.3, controllables: 8, mutants: 323, initial_steps: 4,
        runs: [run([303, 15, 267], 86.7, 92.7, "00:01:21", [241, 3, 23, 0, 0]), run([303, 15, 261], 84.7, 90.6, "00:01:44", [255, 6, 0, 0, 0])] },
    Paper { model: "m2", objects: 2, statements: 748, attributes: 98, state_kib: 0.8, controllables: 8, mutants: 1417, initial_steps: 2,
        runs: [run([1089, 77, 850], 63.4, 90.0, "19:30:22", [850, 0, 0, 0, 0]), None] },
    Paper { model: "m3", objects: 1, statements: 877, attributes: 64, state_kib: 0.5, controllables: 26, mutants: 1297, initial_steps: 2,
        runs: [run([1145, 25, 1098], 86.3, 98.0, "00:02:32", [1094, 4, 0, 0, 0]), run([1145, 25, 1116], 87.7, 99.6, "00:05:20", [1109, 0, 7, 0, 0])] },
    Paper { model: "m4", objects: 2, statements: 1215, attributes: 67, state_kib: 0.4, controllables: 34, mutants: 1142, initial_steps: 2,
        runs: [run([810, 21, 775], 69.1, 98.2, "00:02:18", [767, 0, 0, 8, 0]), run([835, 21, 801], 71.5, 98.4, "00:03:16", [788, 8, 0, 5, 0])] },
    Paper { model: "m5", objects: 151, statements: 3831, attributes: 479, state_kib: 9.7, controllables: 14, mutants: 1505, initial_steps: 46,
        runs: [run([724, 108, 426], 30.5, 69.2, "00:32:49", [400, 16, 8, 0, 2]), run([725, 90, 474], 33.5, 74.6, "00:30:18", [447, 3, 24, 0, 0])] },
    Paper { model: "m6", objects: 125, statements: 4798, attributes: 404, state_kib: 22.3, controllables: 172, mutants: 2044, initial_steps: 82,
        runs: [run([802, 23, 654], 32.4, 84.0, "00:13:24", [647, 1, 4, 2, 0]), run([832, 23, 680], 33.7, 84.1, "00:22:34", [675, 2, 2, 0, 1])] },
    Paper { model: "m7", objects: 2847, statements: 26385, attributes: 3127, state_kib: 184.9, controllables: 1652, mutants: 3524, initial_steps: 2572,
        runs: [run([1601, 37, 1495], 42.9, 95.6, "17:09:24", [1493, 2, 0, 0, 0]), run([1751, 37, 1637], 46.9, 95.5, "22:37:33", [1633, 2, 2, 0, 0])] },
];

/// What the paper says of a model.
pub fn of(model: &str) -> Option<&'static Paper> {
    PAPER.iter().find(|paper| paper.model == model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_percentages_follow_from_its_counts() {
        for paper in &PAPER {
            for run in paper.runs.iter().flatten() {
                let of_total = 100.0 * run.killed as f64 / (paper.mutants - run.errors) as f64;
                let of_found = 100.0 * run.killed as f64 / (run.found - run.errors) as f64;
                // M2's are of its complete run, whose found mutants include some that were never run.
                let near = |ours: f64, theirs: f64| (ours - theirs).abs() < 0.11;
                assert!(near(of_total, run.of_total), "{} {of_total}", paper.model);
                assert!(
                    near(of_found, run.of_found) || paper.model == "m2",
                    "{} {of_found}",
                    paper.model
                );
            }
        }
    }
}
