//! Sockets that nobody but their own process can make ready.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::sys;

/// The sockets of a process, by their inodes, and all connections of its network, which are asked for when needed.
#[derive(Debug, Default)]
pub struct Sockets {
    process: PathBuf,
    own: BTreeSet<u32>,
    connections: OnceCell<Vec<Connection>>,
}

/// One end of a TCP connection, or a socket that waits for some.
#[derive(Debug, PartialEq, Eq)]
struct Connection {
    local: String,
    remote: String,
    state: State,
    /// All that was sent has arrived.
    has_arrived: bool,
    inode: u32,
}

/// What matters of the state of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Listens,
    /// Its two ends are still agreeing.
    BeingMade,
    Established,
    Other,
}

impl Sockets {
    /// Those of the process with this directory in `/proc`.
    pub fn of(process: &Path) -> Sockets {
        let files = fs::read_dir(process.join("fd")).into_iter().flatten();
        let own = files.flatten().filter_map(|file| {
            let link = fs::read_link(file.path()).ok()?;
            inode(link.to_str()?)
        });
        Sockets {
            process: process.to_owned(),
            own: own.collect(),
            connections: OnceCell::new(),
        }
    }

    fn connections(&self) -> &[Connection] {
        self.connections.get_or_init(|| {
            let table = |name: &&str| {
                let table = fs::read_to_string(self.process.join(name)).unwrap_or_default();
                let connections: Vec<Connection> = table.lines().filter_map(connection).collect();
                connections
            };
            ["net/tcp", "net/tcp6"].iter().flat_map(table).collect()
        })
    }

    /// Whether the process has both ends of this one, and nothing is on the way between them; or whether it waits for
    /// connections on an address that only this machine can reach, as tests do for their own.
    pub fn is_closed_circle(&self, inode: u32) -> bool {
        if let Some(other) = sys::other_end_of_unix_socket(inode) {
            return self.own.contains(&other);
        }
        let mut connections = self.connections().iter();
        let Some(this) = connections.find(|one| one.inode == inode) else {
            return false;
        };
        let is_other_end = |other: &&Connection| {
            other.local == this.remote
                && other.remote == this.local
                && other.state != State::Listens
        };
        is_loopback(&this.local)
            && match this.state {
                State::Listens => !self.is_being_called(this),
                _ => self
                    .connections()
                    .iter()
                    .find(is_other_end)
                    .is_some_and(|other| {
                        self.own.contains(&other.inode) && this.has_arrived && other.has_arrived
                    }),
            }
    }

    /// Whether a connection to a socket that waits for some is on its way, or there and not yet accepted.
    fn is_being_called(&self, listening: &Connection) -> bool {
        const NOT_ACCEPTED: u32 = 0;
        self.connections().iter().any(|one| match one.state {
            State::BeingMade => one.remote == listening.local || one.local == listening.local,
            State::Established => one.local == listening.local && one.inode == NOT_ACCEPTED,
            State::Listens | State::Other => false,
        })
    }
}

/// Of `socket:[17]`, 17.
pub fn inode(link: &str) -> Option<u32> {
    link.strip_prefix("socket:[")?
        .strip_suffix(']')?
        .parse()
        .ok()
}

/// A line of the system's table. Its columns are: number, the two addresses, state, bytes to be sent and to be read, …, and
/// in the tenth the inode.
fn connection(line: &str) -> Option<Connection> {
    let columns: Vec<&str> = line.split_ascii_whitespace().collect();
    let [_, local, remote, state, queues, _, _, _, _, inode, ..] = columns[..] else {
        return None;
    };
    Some(Connection {
        local: plain(local),
        remote: plain(remote),
        state: match state {
            "0A" => State::Listens,
            "02" | "03" | "0C" => State::BeingMade,
            "01" => State::Established,
            _ => State::Other,
        },
        has_arrived: queues.split(':').next()? == "00000000",
        inode: inode.parse().ok()?,
    })
}

/// An address of the older protocol that is written as one of the newer, as the older writes it.
fn plain(address: &str) -> String {
    const MAPPED: &str = "0000000000000000FFFF0000";
    address.strip_prefix(MAPPED).unwrap_or(address).to_owned()
}

/// Words of four bytes are written with the last byte first.
fn is_loopback(address: &str) -> bool {
    match address.split(':').next() {
        Some(older) if older.len() == 8 => older.ends_with("7F"),
        newer => newer == Some("00000000000000000000000001000000"),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsRawFd;
    use std::os::unix::net::{UnixListener, UnixStream};

    use super::*;

    fn is_closed_circle(file: &dyn AsRawFd) -> bool {
        let link = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).unwrap();
        let sockets = Sockets::of(Path::new("/proc/self"));
        inode(link.to_str().unwrap()).is_some_and(|inode| sockets.is_closed_circle(inode))
    }

    #[test]
    fn what_the_system_tells_is_understood() {
        let listening = "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12345 1 ffff 100 0 0 10 0";
        let expected = Connection {
            local: "0100007F:1F90".into(),
            remote: "00000000:0000".into(),
            state: State::Listens,
            has_arrived: true,
            inode: 12345,
        };
        assert_eq!(connection(listening), Some(expected));
        let head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode";
        assert_eq!(connection(head), None);
        assert_eq!(connection(""), None);
        let mapped = "0000000000000000FFFF00000100007F:1F90";
        assert_eq!(plain(mapped), "0100007F:1F90");
        assert!(is_loopback(&plain(mapped)));
        assert!(is_loopback("00000000000000000000000001000000:1F90"));
        assert!(!is_loopback("00000000:1F90"));
        assert!(!is_loopback("00000000000000000000000000000000:1F90"));
        assert_eq!(inode("socket:[17]"), Some(17));
        assert_eq!(inode("pipe:[17]"), None);
    }

    #[test]
    fn a_pair_is_closed_only_while_the_process_has_both() {
        let (one, other) = UnixStream::pair().unwrap();
        assert!(is_closed_circle(&one) && is_closed_circle(&other));
        drop(other);
        assert!(!is_closed_circle(&one));
        let path = std::env::temp_dir().join(format!("atropos-{}", std::process::id()));
        let listener = UnixListener::bind(&path).unwrap();
        let client = UnixStream::connect(&path).unwrap();
        fs::remove_file(path).unwrap();
        assert!(!is_closed_circle(&listener));
        // Nobody has accepted it: the other end is no file of ours.
        assert!(!is_closed_circle(&client));
        assert!(!is_closed_circle(&std::io::stdin()));
    }

    #[test]
    fn a_connection_is_closed_only_within_the_process() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        assert!(is_closed_circle(&listener));
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        // It waits to be accepted.
        assert!(!is_closed_circle(&client) && !is_closed_circle(&listener));
        let (mut server, _) = listener.accept().unwrap();
        assert!(is_closed_circle(&client) && is_closed_circle(&server));
        assert!(is_closed_circle(&listener));
        server.write_all(b"unread").unwrap();
        drop(server);
        assert!(!is_closed_circle(&client));
        let for_all = TcpListener::bind("0.0.0.0:0").unwrap();
        assert!(!is_closed_circle(&for_all));
    }
}
