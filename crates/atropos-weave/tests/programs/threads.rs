//# regions that run
use helper::attempt;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};

struct Account {
    balance: Mutex<i32>,
    history: RwLock<Vec<i32>>,
    reserve: Mutex<i64>,
    calls: AtomicUsize,
    other_calls: AtomicUsize,
    limit: AtomicI32,
}

static SUM: Mutex<i32> = Mutex::new(0);
static COUNT: Mutex<i32> = Mutex::new(0);

impl Account {
    fn new(balance: i32) -> Account {
        Account {
            balance: Mutex::new(balance),
            history: RwLock::new(Vec::new()),
            reserve: Mutex::new(7),
            calls: AtomicUsize::new(0),
            other_calls: AtomicUsize::new(5),
            limit: AtomicI32::new(100),
        }
    }

    fn deposit(&self, amount: i32) -> i32 {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let mut balance = self.balance.lock().unwrap();
        let before = *balance;
        *balance = before + amount;
        drop(balance);
        self.other_calls.fetch_max(2, Ordering::AcqRel);
        before
    }

    fn withdraw(&self, amount: i32) -> Result<i32, String> {
        let mut balance = self.balance.lock().unwrap();
        if *balance < amount {
            return Err(format!("only {balance}"));
        }
        let left = check(*balance - amount)?;
        *balance = left;
        Ok(left)
    }

    fn note(&self, amount: i32) {
        let mut history = self.history.write().unwrap();
        history.push(amount);
        // What was noted
        // can be counted.
        self.other_calls.store(history.len(), Ordering::Release);
    }

    fn seen(&self) -> (usize, usize, i32) {
        let history = self.history.read().unwrap();
        let limit = self
            .limit
            .compare_exchange(100, 99, Ordering::AcqRel, Ordering::Acquire);
        (
            history.len(),
            self.calls.load(Ordering::Acquire),
            limit.unwrap_or_else(|old| -old),
        )
    }

    fn to_reserve(&self, amount: i32) {
        let mut balance = self.balance.lock().unwrap();
        let mut reserve = self.reserve.lock().unwrap();
        *balance -= amount;
        *reserve += i64::from(amount);
    }

    fn add_up(&self, amount: i32) -> i32 {
        {
            let mut sum = SUM.lock().unwrap();
            *sum += amount;
        }
        *COUNT.lock().unwrap() += 1;
        let old = self
            .limit
            .fetch_update(Ordering::SeqCst, Ordering::Relaxed, |old| Some(old + 1));
        old.unwrap_or(-1)
    }
}

fn check(value: i32) -> Result<i32, String> {
    if value == 13 { Err("unlucky".to_string()) } else { Ok(value) }
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    let account = Account::new(50);
    attempt("deposit", || account.deposit(20));
    attempt("note", || account.note(3));
    attempt("seen", || account.seen());
    let account = Account::new(50);
    attempt("withdraw", || account.withdraw(30));
    let account = Account::new(50);
    attempt("too much", || account.withdraw(80));
    let account = Account::new(50);
    attempt("unlucky", || account.withdraw(37));
    let account = Account::new(50);
    attempt("reserve", || account.to_reserve(5));
    attempt("sum", || account.add_up(5));
    attempt("sums", || (*SUM.lock().unwrap(), *COUNT.lock().unwrap()));
}

//# constructs that only compile
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Barrier, Condvar, Mutex, Once, OnceLock};
use std::thread;
use std::time::Duration;

pub struct Queue {
    items: Mutex<Vec<u32>>,
    ready: Condvar,
    room: Condvar,
    first: OnceLock<String>,
    started: Once,
}

impl Queue {
    pub fn put(&self, item: u32) {
        let mut items = self.items.lock().unwrap();
        while items.len() > 3 {
            items = self.room.wait(items).unwrap();
        }
        items.push(item);
        self.ready.notify_all();
    }

    pub fn take(&self) -> Option<u32> {
        let items = self.items.lock().unwrap();
        let mut items = self.ready.wait_while(items, |items| items.is_empty()).unwrap();
        let taken = items.pop();
        drop(items);
        self.room.notify_one();
        taken
    }

    pub fn first(&self) -> &str {
        self.started.call_once(|| self.put(1));
        self.first.get_or_init(|| "first".to_string())
    }

    pub fn patiently(&self) -> bool {
        let items = self.items.lock().unwrap();
        let (items, end) = self
            .ready
            .wait_timeout(items, Duration::from_millis(20))
            .unwrap();
        end.timed_out() && items.is_empty()
    }
}

pub fn exchange(sender: &SyncSender<u32>, receiver: &Receiver<u32>) -> u32 {
    sender.send(4).unwrap();
    if let Ok(more) = receiver.recv_timeout(Duration::from_secs(1)) {
        return more;
    }
    while let Ok(one) = receiver.recv() {
        if one > 3 {
            return one;
        }
    }
    receiver.try_recv().unwrap_or(0)
}

pub fn meet(parties: usize) -> usize {
    let barrier = Arc::new(Barrier::new(parties + 1));
    let (sender, receiver) = sync_channel::<usize>(parties);
    let threads: Vec<thread::JoinHandle<()>> = (0..parties)
        .map(|number| {
            let barrier = barrier.clone();
            let sender = sender.clone();
            thread::spawn(move || {
                if barrier.wait().is_leader() {
                    sender.send(number).unwrap();
                }
            })
        })
        .collect();
    barrier.wait();
    for handle in threads {
        handle.join().unwrap();
    }
    thread::sleep(Duration::from_millis(1));
    drop(sender);
    receiver.iter().count()
}

pub fn both(left: &Mutex<u32>, right: &Mutex<u32>) -> u32 {
    let (left, right) = (left.lock().unwrap(), right.lock().unwrap());
    *left + *right
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    println!("compiled");
}
