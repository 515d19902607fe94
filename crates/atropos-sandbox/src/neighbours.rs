//! Whether behind an address on this machine is a foreign program: a database, a display, a service of the system. What is sent
//! there may do anything, as what is sent to another machine may.
//!
//! The kernel lists the sockets that wait at an address by their inodes. Those that a process of the test has open are its own.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::{Duration, Instant};

use atropos_protocol::signals::ProcessHandle;

/// An address on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Neighbour {
    /// A port of TCP or UDP.
    Port(u16),
    /// A socket with a name that is no path.
    Name(Vec<u8>),
}

/// From here on the system chooses ports for who asks for none in particular.
const FIRST_CHOSEN_PORT: u16 = 32_768;

impl Neighbour {
    /// The foreign program in words that are the same in each run of a test.
    pub fn describe(&self) -> String {
        match self {
            // Containers that a test starts have other ports each time.
            Neighbour::Port(port) if *port >= FIRST_CHOSEN_PORT => {
                "the program behind a port that the system chose".to_owned()
            }
            Neighbour::Port(port) => format!("the program behind port {port}"),
            Neighbour::Name(name) => {
                format!("the program behind @{}", String::from_utf8_lossy(name))
            }
        }
    }

    /// The inodes of the sockets that wait there, as a process sees them.
    fn inodes(&self, process: i32) -> Vec<String> {
        let table = |name: &str| fs::read_to_string(format!("/proc/{process}/net/{name}"));
        match self {
            Neighbour::Port(port) => ["tcp", "tcp6", "udp", "udp6"]
                .into_iter()
                .flat_map(|name| waiting_at_port(&table(name).unwrap_or_default(), *port))
                .collect(),
            Neighbour::Name(name) => {
                let table = fs::read(format!("/proc/{process}/net/unix")).unwrap_or_default();
                waiting_by_name(&table, name)
            }
        }
    }
}

/// Who is behind addresses, as far as it was asked lately.
#[derive(Clone, Debug, Default)]
pub struct Neighbours(RefCell<HashMap<Neighbour, (Instant, bool)>>);

/// An answer holds so long: tests send many datagrams to the same address.
const HOLDS: Duration = Duration::from_millis(50);
const MOST_ANSWERS: usize = 1000;

impl Neighbours {
    /// Whether a foreign program waits there; `process` asks, and the processes below `root` are the test's own.
    pub fn is_foreign(&self, neighbour: &Neighbour, process: i32, root: i32) -> bool {
        let mut answers = self.0.borrow_mut();
        if let Some((when, answer)) = answers.get(neighbour)
            && when.elapsed() < HOLDS
        {
            return *answer;
        }
        let inodes = neighbour.inodes(process);
        let answer = !inodes.is_empty() && !has_any_open(&inodes, root);
        if answers.len() >= MOST_ANSWERS {
            answers.clear();
        }
        answers.insert(neighbour.clone(), (Instant::now(), answer));
        answer
    }
}

/// The sockets of a table of `/proc/net` to which something may be sent that goes to this port of the loopback address.
fn waiting_at_port(table: &str, port: u16) -> Vec<String> {
    const LISTENS: &str = "0A";
    /// Of datagrams: it is bound, and not connected to another one.
    const BOUND: &str = "07";
    let lines = table.lines().skip(1);
    lines
        .filter_map(|line| {
            let mut words = line.split_ascii_whitespace().skip(1);
            let (address, its_port) = words.next()?.split_once(':')?;
            let state = words.nth(1)?;
            let inode = words.nth(5)?;
            let is_there = u16::from_str_radix(its_port, 16) == Ok(port)
                && [LISTENS, BOUND].contains(&state)
                && address_of(address).is_none_or(|ip| ip.is_loopback() || ip.is_unspecified());
            is_there.then(|| inode.to_owned())
        })
        .collect()
}

/// An address as the kernel writes it: words of four bytes in the machine's order.
fn address_of(hexadecimal: &str) -> Option<IpAddr> {
    let words = hexadecimal.as_bytes().chunks(8);
    let bytes: Vec<u8> = words
        .filter_map(|word| u32::from_str_radix(std::str::from_utf8(word).ok()?, 16).ok())
        .flat_map(u32::to_ne_bytes)
        .collect();
    match bytes.len() {
        4 => <[u8; 4]>::try_from(bytes)
            .ok()
            .map(|ip| Ipv4Addr::from(ip).into()),
        16 => {
            let ip = <[u8; 16]>::try_from(bytes).ok()?;
            Some(IpAddr::from(Ipv6Addr::from(ip)).to_canonical())
        }
        _ => None,
    }
}

/// The sockets with this name in `/proc/net/unix`.
fn waiting_by_name(table: &[u8], name: &[u8]) -> Vec<String> {
    let shown = name.iter().map(|&byte| if byte == 0 { b'@' } else { byte });
    let wanted: Vec<u8> = [b'@'].into_iter().chain(shown).collect();
    let lines = table.split(|&byte| byte == b'\n').skip(1);
    lines
        .filter_map(|line| {
            // Seven columns, the last of which is padded; then the name, which may hold spaces.
            let mut at = 0;
            let mut inode = &line[..0];
            for _ in 0..7 {
                at += line[at..].iter().position(|&byte| byte != b' ')?;
                let end = line[at..].iter().position(|&byte| byte == b' ')?;
                inode = &line[at..at + end];
                at += end;
            }
            let is_it = line.get(at + 1..) == Some(wanted.as_slice());
            is_it.then(|| String::from_utf8_lossy(inode).into_owned())
        })
        .collect()
}

/// Whether a process, or one below it, has one of these sockets open.
fn has_any_open(inodes: &[String], root: i32) -> bool {
    let wanted: Vec<String> = inodes
        .iter()
        .map(|inode| format!("socket:[{inode}]"))
        .collect();
    let mut open: VecDeque<ProcessHandle> = ProcessHandle::open(root).into_iter().collect();
    while let Some(process) = open.pop_front() {
        let descriptors = fs::read_dir(format!("/proc/{}/fd", process.pid()));
        let mut links = descriptors
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| fs::read_link(entry.path()).ok());
        if links.any(|link| {
            wanted
                .iter()
                .any(|wanted| link.as_os_str() == wanted.as_str())
        }) {
            return true;
        }
        open.extend(process.children());
    }
    false
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, UdpSocket};
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::{SocketAddr, UnixListener};
    use std::process::{Command, Stdio, id};

    use super::*;

    /// A process that is not ours in the sense of the question: ours is not below it.
    fn another() -> std::process::Child {
        let mut command = Command::new("sleep");
        command.arg("100").stdin(Stdio::null()).spawn().unwrap()
    }

    #[test]
    fn sockets_of_ones_own_processes_are_told_from_those_of_others() {
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("[::]:0").unwrap();
        let name = format!("atropos {} \0 neighbours", id());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let _unix = UnixListener::bind_addr(&address).unwrap();
        let mut other = another();
        let (own, foreign) = (id() as i32, other.id() as i32);
        for neighbour in [
            Neighbour::Port(tcp.local_addr().unwrap().port()),
            Neighbour::Port(udp.local_addr().unwrap().port()),
            Neighbour::Name(name.into_bytes()),
        ] {
            let inodes = neighbour.inodes(own);
            assert!(!inodes.is_empty(), "{neighbour:?}");
            assert!(!has_any_open(&inodes, foreign), "{neighbour:?}");
            let neighbours = Neighbours::default();
            assert!(neighbours.is_foreign(&neighbour, own, foreign));
        }
        other.kill().unwrap();
        other.wait().unwrap();
    }

    #[test]
    fn nobody_is_no_foreign_program() {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let neighbours = Neighbours::default();
        assert!(!neighbours.is_foreign(&Neighbour::Port(port), id() as i32, 1));
        let name = Neighbour::Name(b"atropos, nobody".to_vec());
        assert!(!neighbours.is_foreign(&name, id() as i32, 1));
    }

    #[test]
    fn tables_of_the_kernel_are_read() {
        let little = cfg!(target_endian = "little");
        assert!(little, "the tables below are of such a machine");
        let tcp = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
            \x20  0: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000   101        0 11 1\n\
            \x20  1: 0501A8C0:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000   101        0 12 1\n\
            \x20  2: 0100007F:1538 0100007F:9999 01 00000000:00000000 00:00000000 00000000   101        0 13 1\n";
        assert_eq!(waiting_at_port(tcp, 0x1538), ["11"]);
        let v6 = "00000000000000000000000001000000";
        assert_eq!(address_of(v6), Some(Ipv6Addr::LOCALHOST.into()));
        assert_eq!(
            address_of("0000000000000000FFFF00000100007F"),
            Some(Ipv4Addr::LOCALHOST.into())
        );
        let unix = b"Num       RefCount Protocol Flags    Type St Inode Path\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 21 @a b\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 22 /a b\n\
            0000000000000000: 00000003 00000000 00000000 0001 03 23\n";
        assert_eq!(waiting_by_name(unix, b"a b"), ["21"]);
        assert_eq!(waiting_by_name(unix, b"a\0b").len(), 0);
    }

    #[test]
    fn what_a_foreign_program_is_called_does_not_depend_on_the_run() {
        assert_eq!(
            Neighbour::Port(40_000).describe(),
            Neighbour::Port(50_000).describe()
        );
        assert_ne!(
            Neighbour::Port(5432).describe(),
            Neighbour::Port(80).describe()
        );
    }
}
