//! Calls that reach other processes or machines, and those that take descriptors for it.

use std::ffi::{CStr, c_int, c_uint, c_void};

use atropos_protocol::Effect;

use super::intercept;
use crate::effects::note;

fn reaching(call: &CStr) {
    note(Effect::Network, call, None);
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
    fn bind(socket: c_int, address: *const c_void, length: c_uint) -> c_int, -1, reaching;
    fn listen(socket: c_int, backlog: c_int) -> c_int, -1, reaching;
    fn sendto(
        socket: c_int, data: *const c_void, size: usize, flags: c_int,
        address: *const c_void, length: c_uint,
    ) -> isize, -1,
        |call| if !address.is_null() { reaching(call) };
}
