//! One lock for all objects.

use std::sync::Mutex;

static ALL: Mutex<u32> = Mutex::new(0);

#[derive(Default)]
pub struct Clerk {
    pub number: u64,
}

impl Clerk {
    pub fn serve(&self) -> u32 {
        let mut all = ALL.lock().unwrap();
        *all += 1;
        *all
    }
}
