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
pub struct Sales {
    pub sold: usize,
    pub stopped: bool,
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
    pub fn sell_all(&self) -> Sales {
        thread::scope(|scope| {
            for _ in 0..self.tickets {
                scope.spawn(|| self.sell());
            }
        });
        *self.sales.lock().unwrap()
    }

    fn sell(&self) {
        let mut sales = self.sales.lock().unwrap();
        if sales.sold >= self.capacity {
            sales.stopped = true;
        } else {
            sales.sold += 1;
        }
    }
}
