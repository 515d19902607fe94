//! A flight whose tickets are sold by many agents at once.

use std::sync::Mutex;
use std::thread;

pub struct Airline {
    tickets: usize,
    /// Some seats are kept free: a tenth of the tickets, at least one.
    capacity: usize,
    sales: Mutex<Sales>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sales {
    sold: usize,
    stopped: bool,
}

/// What the head office hears when all agents are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    pub sold: usize,
    pub stopped: bool,
    /// Seats that nobody bought.
    pub free: usize,
    /// Passengers who got none.
    pub turned_away: usize,
    /// How much of the capacity is sold, in percent.
    pub load: usize,
    pub is_full: bool,
    pub is_overbooked: bool,
}

impl Airline {
    pub fn new(tickets: usize) -> Airline {
        Airline {
            tickets,
            capacity: tickets - (tickets / 10).max(1),
            sales: Mutex::new(Sales::default()),
        }
    }

    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// One agent for each ticket tries to sell it.
    pub fn sell_all(&self) -> Report {
        thread::scope(|scope| {
            for _ in 0..self.tickets {
                scope.spawn(|| self.sell());
            }
        });
        let sales = *self.sales.lock().unwrap();
        self.report(sales)
    }

    fn sell(&self) {
        let mut sales = self.sales.lock().unwrap();
        if sales.sold >= self.capacity {
            sales.stopped = true;
        } else {
            sales.sold += 1;
        }
    }

    fn report(&self, Sales { sold, stopped }: Sales) -> Report {
        let load = 100 * sold / self.capacity;
        Report {
            sold,
            stopped,
            free: self.capacity.saturating_sub(sold),
            turned_away: self.tickets - sold,
            load,
            is_full: load == 100,
            is_overbooked: load > 100,
        }
    }
}
