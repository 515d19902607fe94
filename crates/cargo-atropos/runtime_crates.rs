//! The crates that programs under test link, for the places where they are embedded (`build.rs`) and where tests compile
//! them.

/// Folder, name for rustc, and the crates before it that it uses; in build order.
pub type Crates = &'static [(&'static str, &'static str, &'static [&'static str])];

/// What programs link whose mutants are forked.
pub const FORKED: Crates = &[
    ("atropos-values", "atropos_values", &[]),
    ("atropos-protocol", "atropos_protocol", &["atropos_values"]),
    ("atropos-intercept", "atropos_intercept", &[]),
    ("atropos-invariants", "atropos_invariants", &[]),
    ("atropos-libtest", "atropos_libtest", &[]),
    (
        "atropos-runtime",
        "atropos_runtime",
        &[
            "atropos_intercept",
            "atropos_protocol",
            "atropos_values",
            "atropos_invariants",
        ],
    ),
    (
        "atropos-harness",
        "test",
        &["atropos_protocol", "atropos_libtest", "atropos_runtime"],
    ),
];

/// What programs link whose threads are explored.
pub const EXPLORED: Crates = &[
    ("atropos-values", "atropos_values", &[]),
    ("atropos-protocol", "atropos_protocol", &["atropos_values"]),
    ("atropos-intercept", "atropos_intercept", &[]),
    ("atropos-libtest", "atropos_libtest", &[]),
    (
        "atropos-search",
        "atropos_search",
        &["atropos_protocol", "atropos_values"],
    ),
    (
        "atropos-threads",
        "atropos_threads",
        &[
            "atropos_protocol",
            "atropos_values",
            "atropos_search",
            "atropos_intercept",
        ],
    ),
    ("atropos-std", "std", &["atropos_threads"]),
    ("atropos-core", "core", &["atropos_threads"]),
    (
        "atropos-explore-harness",
        "atropos_explore_harness",
        &[
            "atropos_search",
            "atropos_libtest",
            "atropos_protocol",
            "atropos_threads",
            "atropos_values",
        ],
    ),
];
