//! The names that a path is made of.

use syn::Path;

/// `["std", "mem", "swap"]` for `std::mem::swap`; arguments are left out.
pub(crate) fn names_of(path: &Path) -> Vec<String> {
    let segments = path.segments.iter();
    segments.map(|segment| segment.ident.to_string()).collect()
}
