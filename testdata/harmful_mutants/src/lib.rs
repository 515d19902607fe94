//! Whether harm is done: never, but for a mutant of each function.

/// What does it, if it is asked to.
///
/// ```
/// harmful_mutants::ways::all();
/// ```
pub mod ways;

pub fn deletes() -> bool {
    false
}

pub fn overwrites() -> bool {
    false
}

pub fn renames() -> bool {
    false
}

pub fn changes_mode() -> bool {
    false
}

pub fn truncates() -> bool {
    false
}

pub fn changes_times() -> bool {
    false
}

pub fn changes_attributes() -> bool {
    false
}

pub fn removes_by_a_program() -> bool {
    false
}

pub fn removes_by_a_system_call() -> bool {
    false
}

pub fn removes_without_libc() -> bool {
    false
}

pub fn kills() -> bool {
    false
}

pub fn kills_by_a_system_call() -> bool {
    false
}

pub fn kills_by_a_descriptor() -> bool {
    false
}

pub fn sends_a_datagram() -> bool {
    false
}

pub fn connects() -> bool {
    false
}

pub fn fills_the_disk() -> bool {
    false
}

pub fn writes_to_a_fifo() -> bool {
    false
}

pub fn links() -> bool {
    false
}

pub fn uses_a_ring() -> bool {
    false
}

pub fn kills_another_group() -> bool {
    false
}

pub fn writes_to_a_large_file() -> bool {
    false
}
