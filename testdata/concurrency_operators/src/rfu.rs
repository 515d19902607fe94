//! A lock that is given back early.

use std::sync::Mutex;

pub fn take(stock: &Mutex<u32>, wanted: u32) -> bool {
    let mut stock = stock.lock().unwrap();
    if *stock < wanted {
        return false;
    }
    *stock -= wanted;
    true
}
