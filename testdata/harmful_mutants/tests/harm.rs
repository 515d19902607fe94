//! One test per way to do harm.

use harmful_mutants::ways;

macro_rules! tests {
    ($($way:ident),*) => {
        $(#[test]
        fn $way() {
            ways::$way();
        })*
    };
}

tests!(
    deletes,
    overwrites,
    renames,
    changes_mode,
    truncates,
    changes_times,
    changes_attributes,
    removes_by_a_program,
    removes_by_a_system_call,
    removes_without_libc,
    kills,
    kills_by_a_system_call,
    kills_by_a_descriptor,
    sends_a_datagram,
    connects,
    fills_the_disk,
    writes_to_a_fifo,
    links,
    uses_a_ring,
    kills_another_group,
    writes_to_a_large_file
);
