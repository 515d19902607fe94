//! Transactions without a way back: an item that was booked is purchased or stays booked.

use std::sync::Mutex;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    Free,
    /// By this customer, who has not paid.
    Booked(u32),
    Sold(u32),
}

pub struct Shop {
    items: Mutex<Vec<Item>>,
}

impl Shop {
    pub fn new(items: usize) -> Shop {
        Shop {
            items: Mutex::new(vec![Item::Free; items]),
        }
    }

    /// Checks whether an item can be had, and books it: one step.
    pub fn book(&self, item: usize, customer: u32) -> bool {
        let mut items = self.items.lock().unwrap();
        let is_free = items[item] == Item::Free;
        if is_free {
            items[item] = Item::Booked(customer);
        }
        is_free
    }

    /// Purchases what the customer has booked.
    pub fn purchase(&self, item: usize, customer: u32) -> bool {
        let mut items = self.items.lock().unwrap();
        let is_mine = items[item] == Item::Booked(customer);
        if is_mine {
            items[item] = Item::Sold(customer);
        }
        is_mine
    }

    pub fn item(&self, item: usize) -> Item {
        self.items.lock().unwrap()[item]
    }
}
