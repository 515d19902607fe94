//! Sockets that other programs can reach by a name: what they do can't be controlled, and two processes that explore the same
//! test would take the name from each other. Ports that the system chooses are known to nobody else.

use std::ffi::{c_int, c_void};

use crate::control::{external_wait, limits};
use crate::memory::heap;

const UNIX: u16 = 1;
const INET: u16 = 2;
const INET6: u16 = 10;

/// What an address leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reach {
    /// No name, or one that the system is to choose.
    Nowhere,
    ThisMachine,
    OtherMachines,
    /// Any program that knows the name of the socket.
    OtherPrograms,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Address {
    reach: Reach,
    port: u16,
}

fn address(bytes: &[u8]) -> Address {
    let [first, second, rest @ ..] = bytes else {
        return Address {
            reach: Reach::Nowhere,
            port: 0,
        };
    };
    let port = match rest {
        [high, low, ..] => u16::from_be_bytes([*high, *low]),
        _ => 0,
    };
    let is_loopback = match u16::from_ne_bytes([*first, *second]) {
        UNIX => {
            let reach = match rest.is_empty() {
                true => Reach::Nowhere,
                false => Reach::OtherPrograms,
            };
            return Address { reach, port: 0 };
        }
        INET => matches!(rest, [_, _, 127, ..] | [_, _, 0, 0, 0, 0, ..]),
        INET6 => rest.get(6..22).is_some_and(is_local),
        _ => false,
    };
    let reach = match is_loopback {
        true => Reach::ThisMachine,
        false => Reach::OtherMachines,
    };
    Address { reach, port }
}

/// The loopback address, none at all, or an older one of that kind.
fn is_local(address: &[u8]) -> bool {
    let (zeros, last) = address.split_at(15);
    let is_plain = zeros.iter().all(|byte| *byte == 0) && last[0] <= 1;
    is_plain || address.starts_with(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127])
}

/// # Safety
/// As in the C library: so many bytes are readable.
unsafe fn read_address(place: *const c_void, size: u32) -> Address {
    let bytes = match place.is_null() {
        true => &[],
        // SAFETY: the caller's promise.
        false => unsafe { std::slice::from_raw_parts(place.cast::<u8>(), size as usize) },
    };
    address(bytes)
}

/// Defines a function of the C library that takes a socket and an address.
macro_rules! naming {
    ($name:ident, $symbol:literal, $judge:expr) => {
        /// The C library's function of this name.
        ///
        /// # Safety
        /// As in the C library.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(file: c_int, place: *const c_void, size: u32) -> c_int {
            if heap::program_runs() {
                let judge: fn(Address) = $judge;
                // SAFETY: the caller's.
                judge(unsafe { read_address(place, size) });
            }
            type Function = unsafe extern "C" fn(c_int, *const c_void, u32) -> c_int;
            // SAFETY: the C library has the function, with this signature; the arguments are the caller's.
            unsafe { passed_on!($symbol as Function)(file, place, size) }
        }
    };
}

naming!(bind, c"bind", |address| match address.reach {
    Reach::OtherPrograms => limits::not_under_control("a socket gets a name"),
    _ if address.port != 0 => limits::not_under_control("a socket gets a certain port"),
    _ => {}
});
naming!(connect, c"connect", |address| match address.reach {
    Reach::OtherPrograms => external_wait::mark("another program is called"),
    Reach::OtherMachines => external_wait::mark("another machine is called"),
    Reach::Nowhere | Reach::ThisMachine => {}
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_apart() {
        let check = |bytes: &[u8], reach, port| {
            assert_eq!(address(bytes), Address { reach, port }, "{bytes:?}");
        };
        let family = |family: u16, rest: &[u8]| [&family.to_ne_bytes(), rest].concat();
        check(&[], Reach::Nowhere, 0);
        check(&family(UNIX, &[]), Reach::Nowhere, 0);
        check(&family(UNIX, b"/run/socket\0"), Reach::OtherPrograms, 0);
        check(&family(UNIX, b"\0abstract"), Reach::OtherPrograms, 0);
        check(&family(INET, &[0, 0, 127, 0, 0, 1]), Reach::ThisMachine, 0);
        check(
            &family(INET, &[1, 2, 127, 0, 0, 1]),
            Reach::ThisMachine,
            258,
        );
        check(&family(INET, &[0, 0, 0, 0, 0, 0]), Reach::ThisMachine, 0);
        check(
            &family(INET, &[0, 80, 9, 9, 9, 9]),
            Reach::OtherMachines,
            80,
        );
        let newer = |port: [u8; 2], last: [u8; 16]| {
            family(INET6, &[&port[..], &[0; 4], &last, &[0; 4]].concat())
        };
        let with = |at: usize, byte: u8| {
            let mut address = [0; 16];
            address[at] = byte;
            address
        };
        check(&newer([0, 0], with(15, 1)), Reach::ThisMachine, 0);
        check(&newer([0, 0], with(15, 0)), Reach::ThisMachine, 0);
        check(&newer([0, 9], with(15, 2)), Reach::OtherMachines, 9);
        check(&newer([0, 9], with(0, 0xfe)), Reach::OtherMachines, 9);
        let mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1];
        check(&newer([0, 0], mapped), Reach::ThisMachine, 0);
    }
}
