//! Programs with threads, each in a right and a broken version. Whoever includes this module says in `under` which
//! library's `sync` and `thread` they are written against. No program has more than four threads beside the test's own,
//! which is all that Loom can do; spinning threads yield, which Loom needs to come to an end.

mod bounded_buffer;
mod channel;
mod counter;
mod double_checked;
mod lock_order;
mod locks;
mod message;
mod michael_scott;
mod peterson;
mod philosophers;
mod rcu;
mod readers_writers;
mod seqlock;
mod spin_barrier;
mod ticket_lock;
mod treiber_stack;
mod work_stealing;

/// Which version of a program is to run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Version {
    Right,
    /// With a mistake that some schedules show.
    Broken,
}

/// A program by name.
pub struct Program {
    pub name: &'static str,
    pub run: fn(Version),
}

/// All programs, in the order of the tables.
pub const ALL: [Program; 20] = [
    Program {
        name: "2 locks",
        run: |version| locks::run(2, version),
    },
    Program {
        name: "3 locks",
        run: |version| locks::run(3, version),
    },
    Program {
        name: "4 locks",
        run: |version| locks::run(4, version),
    },
    Program {
        name: "5 locks",
        run: |version| locks::run(5, version),
    },
    Program {
        name: "philosophers",
        run: philosophers::run,
    },
    Program {
        name: "readers-writers",
        run: readers_writers::run,
    },
    Program {
        name: "bounded buffer",
        run: bounded_buffer::run,
    },
    Program {
        name: "double-checked",
        run: double_checked::run,
    },
    Program {
        name: "Treiber stack",
        run: treiber_stack::run,
    },
    Program {
        name: "Michael-Scott",
        run: michael_scott::run,
    },
    Program {
        name: "seqlock",
        run: seqlock::run,
    },
    Program {
        name: "Peterson",
        run: peterson::run,
    },
    Program {
        name: "ticket lock",
        run: ticket_lock::run,
    },
    Program {
        name: "spin barrier",
        run: spin_barrier::run,
    },
    Program {
        name: "work stealing",
        run: work_stealing::run,
    },
    Program {
        name: "RCU",
        run: rcu::run,
    },
    Program {
        name: "counter",
        run: counter::run,
    },
    Program {
        name: "message",
        run: message::run,
    },
    Program {
        name: "lock order",
        run: lock_order::run,
    },
    Program {
        name: "channel",
        run: channel::run,
    },
];
