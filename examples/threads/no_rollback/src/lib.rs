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
    /// What each item costs.
    prices: Vec<u32>,
    items: Mutex<Vec<Item>>,
}

/// What one customer has bought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bill {
    pub items: u32,
    pub sum: u32,
    /// A tenth, for who buys two items or more.
    pub discount: u32,
    pub to_pay: u32,
}

/// What the shop has sold when it closes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    pub sold: u32,
    /// Booked, and neither paid nor given back.
    pub stuck: u32,
    pub left: u32,
    pub turnover: u32,
    /// The part of the turnover that is tax: 19 of 119.
    pub tax: u32,
    /// What an item was sold for on average.
    pub average: u32,
    /// Items that were sold, in percent of all.
    pub share: u32,
}

impl Shop {
    pub fn new(prices: &[u32]) -> Shop {
        Shop {
            prices: prices.to_vec(),
            items: Mutex::new(vec![Item::Free; prices.len()]),
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

    pub fn bill(&self, customer: u32) -> Bill {
        let items = self.items.lock().unwrap();
        let mut bill = Bill::default();
        for (item, price) in items.iter().zip(&self.prices) {
            if *item == Item::Sold(customer) {
                bill.items += 1;
                bill.sum += price;
            }
        }
        if bill.items >= 2 {
            bill.discount = bill.sum / 10;
        }
        bill.to_pay = bill.sum - bill.discount;
        bill
    }

    pub fn balance(&self) -> Balance {
        let items = self.items.lock().unwrap();
        let mut balance = Balance::default();
        for (item, price) in items.iter().zip(&self.prices) {
            match item {
                Item::Free => balance.left += 1,
                Item::Booked(_) => balance.stuck += 1,
                Item::Sold(_) => {
                    balance.sold += 1;
                    balance.turnover += price;
                }
            }
        }
        balance.tax = balance.turnover * 19 / 119;
        if balance.sold > 0 {
            balance.average = (balance.turnover + balance.sold / 2) / balance.sold;
        }
        let all = balance.sold + balance.stuck + balance.left;
        balance.share = 100 * balance.sold / all;
        balance
    }
}
