//! Calls that reach other processes or machines, and those that take descriptors for it.

use std::ffi::{CStr, c_int, c_uint, c_void};

use atropos_protocol::{Effect, sys};

use super::intercept;
use crate::effects::note;
use crate::lasting_changes;

fn reaching(call: &CStr) {
    note(Effect::Network, call, None);
}

/// A Unix socket is bound to a file, which is made, others to a port, which only one can have.
fn naming(address: *const c_void, length: c_uint) {
    const UNIX: u16 = 1;
    const INTERNET: [u16; 2] = [2, 10];
    if address.is_null() || (length as usize) < 4 {
        return;
    }
    let mut path = [0u8; 120];
    // SAFETY: the program is about to hand the address, of this length, to libc: the family and then a path.
    let family = unsafe {
        let length = (length as usize - 2).min(path.len() - 1);
        std::ptr::copy_nonoverlapping(address.cast::<u8>().add(2), path.as_mut_ptr(), length);
        address.cast::<u16>().read_unaligned()
    };
    // A name that starts with zero is none of a file, and port 0 is any.
    if family == UNIX && path[0] != 0 {
        lasting_changes::change(sys::AT_FDCWD as c_int, path.as_ptr().cast(), false);
    }
    let port = u16::from_be_bytes([path[0], path[1]]);
    if INTERNET.contains(&family) && port != 0 {
        lasting_changes::take_port(port);
    }
}

fn taking(call: &CStr) {
    note(Effect::Descriptors, call, None);
}

intercept! {
    fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int, -1, taking;
    fn socketpair(domain: c_int, kind: c_int, protocol: c_int, pair: *mut c_int) -> c_int, -1,
        taking;
    fn pipe(pair: *mut c_int) -> c_int, -1, taking;
    fn pipe2(pair: *mut c_int, flags: c_int) -> c_int, -1, taking;
    fn eventfd(value: c_uint, flags: c_int) -> c_int, -1, taking;
    fn epoll_create1(flags: c_int) -> c_int, -1, taking;
    fn connect(socket: c_int, address: *const c_void, length: c_uint) -> c_int, -1, reaching;
    fn bind(socket: c_int, address: *const c_void, length: c_uint) -> c_int, -1,
        |call| { reaching(call); naming(address, length); };
    fn listen(socket: c_int, backlog: c_int) -> c_int, -1, reaching;
    fn sendto(
        socket: c_int, data: *const c_void, size: usize, flags: c_int,
        address: *const c_void, length: c_uint,
    ) -> isize, -1,
        |call| if !address.is_null() { reaching(call) };
}
