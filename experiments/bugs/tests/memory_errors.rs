//! Published memory errors: use after free, double free, accesses beyond a block, leaks. One plain test each.

use std::sync::Arc;
use std::thread;

/// RUSTSEC-2019-0009: a vector on the heap that is told to grow to what it has already gives its memory back and goes on with it.
#[test]
fn a_small_vector_grows_to_what_it_has() {
    let mut numbers: smallvec_06::SmallVec<[u8; 2]> = smallvec_06::SmallVec::new();
    numbers.extend(0..4);
    numbers.grow(4);
    assert_eq!(std::hint::black_box(&numbers)[3], 3);
}

/// RUSTSEC-2021-0093: a task may be taken twice, by its owner and by a thief.
#[test]
fn a_task_is_stolen_and_taken() {
    let worker = crossbeam_deque::Worker::new_lifo();
    let stealer = worker.stealer();
    for task in 0..3 {
        worker.push(Box::new(task));
    }
    let thread = thread::spawn(move || {
        let own = crossbeam_deque::Worker::new_lifo();
        let stolen = stealer.steal_batch_and_pop(&own).success();
        let mut taken: Vec<i32> = stolen.into_iter().map(|task| *task).collect();
        taken.extend(std::iter::from_fn(|| own.pop()).map(|task| *task));
        taken
    });
    let pop_all = || std::iter::from_fn(|| worker.pop()).map(|task| *task);
    let mut taken: Vec<i32> = pop_all().collect();
    taken.extend(thread.join().unwrap());
    taken.extend(pop_all());
    taken.sort();
    assert_eq!(taken, [0, 1, 2]);
}

/// RUSTSEC-2020-0017: two owners leave at once, and one frees what the other one still looks at.
#[test]
fn an_interned_value_is_made_by_two_threads() {
    let thread = thread::spawn(|| drop(internment::ArcIntern::new(5_u32)));
    drop(internment::ArcIntern::new(5_u32));
    thread.join().unwrap();
}

/// RUSTSEC-2025-0024: the last receiver and the channel itself both free a block of messages.
#[test]
fn a_channel_is_sent_to_twice_while_its_receiver_goes() {
    let (sender, receiver) = crossbeam_channel::unbounded();
    let send = |number| {
        let sender = sender.clone();
        thread::spawn(move || drop(sender.send(Box::new(number))))
    };
    let threads = [send(1), send(2)];
    drop(receiver);
    for thread in threads {
        thread.join().unwrap();
    }
}

/// Has the collector of the old crossbeam queues drop what it has.
fn collect() {
    for _ in 0..300 {
        crossbeam_epoch_05::pin().flush();
    }
}

/// RUSTSEC-2018-0009: what was popped is dropped again by the collector.
#[test]
fn a_popped_value_is_dropped_once() {
    let queue = crossbeam_queue::queue::SegQueue::new();
    let value = Arc::new(1);
    for _ in 0..40 {
        queue.push(value.clone());
    }
    while queue.try_pop().is_some() {}
    drop(queue);
    collect();
    assert_eq!(Arc::strong_count(&value), 1);
}

/// RUSTSEC-2018-0009, the other queue: a thread pops, and the collector drops.
#[test]
fn a_value_popped_by_another_thread_is_dropped_once() {
    let queue = Arc::new(crossbeam_queue::queue::MsQueue::new());
    let value = Arc::new(1);
    for _ in 0..2 {
        queue.push(value.clone());
    }
    let theirs = queue.clone();
    let thread = thread::spawn(move || theirs.try_pop().map(|value| *value));
    let popped = queue.try_pop();
    thread.join().unwrap();
    drop((popped, queue));
    collect();
    assert_eq!(Arc::strong_count(&value), 1);
}

/// async-task 1.1.1: a task goes while its schedule function runs.
#[test]
fn a_task_is_run_while_it_is_being_scheduled() {
    let (sender, receiver) = std::sync::mpsc::channel();
    let ran = Arc::new(std::sync::Mutex::new(0));
    let theirs = ran.clone();
    let schedule = move |task| {
        sender.send(task).unwrap();
        *theirs.lock().unwrap() += 1;
    };
    let (task, handle) = async_task::spawn(async {}, schedule, ());
    let thread = thread::spawn(move || task.schedule());
    drop(handle);
    let task: async_task::Task<()> = receiver.recv().unwrap();
    drop(receiver);
    task.run();
    thread.join().unwrap();
    assert_eq!(*ran.lock().unwrap(), 1);
}

/// RUSTSEC-2020-0061: the waker that does nothing lies in a thread that has ended.
#[test]
fn a_waker_outlives_its_thread() {
    let waker = thread::spawn(futures_task::noop_waker_ref).join().unwrap();
    waker.wake_by_ref();
}

/// oneshot 0.1.12: a receiver that was polled goes while it is sent to. (The repair is not complete: who waits for the sender
/// takes its own `DISCONNECTED` for the sender's.)
#[test]
fn a_polled_receiver_goes_while_it_is_sent_to() {
    use std::future::Future;
    let (sender, mut receiver) = oneshot::channel();
    let waker = std::task::Waker::noop();
    let mut context = std::task::Context::from_waker(waker);
    assert!(
        std::pin::Pin::new(&mut receiver)
            .poll(&mut context)
            .is_pending()
    );
    let thread = thread::spawn(move || drop(sender.send(Box::new(1))));
    drop(receiver);
    thread.join().unwrap();
}

/// crossbeam-epoch 0.8.1: a queue's old sentinel is freed although its tail still leads to it.
#[test]
fn garbage_is_collected_by_two_threads() {
    let collect = || {
        for _ in 0..2 {
            let guard = crossbeam_epoch_08::pin();
            guard.defer(|| ());
            guard.flush();
        }
    };
    let thread = thread::spawn(collect);
    collect();
    thread.join().unwrap();
}

/// async-executor 1.14.1: a task is woken while its executor goes.
#[test]
fn a_task_is_woken_while_its_executor_goes() {
    use std::sync::Mutex;
    let executor = async_executor::Executor::new();
    let kept: Arc<Mutex<Option<std::task::Waker>>> = Arc::default();
    let theirs = kept.clone();
    let waits = std::future::poll_fn(move |context| {
        *theirs.lock().unwrap() = Some(context.waker().clone());
        std::task::Poll::<()>::Pending
    });
    executor.spawn(waits).detach();
    assert!(executor.try_tick());
    let thread = thread::spawn(move || {
        let waker = kept.lock().unwrap().take();
        waker.into_iter().for_each(std::task::Waker::wake);
    });
    drop(executor);
    thread.join().unwrap();
}

/// once_cell 1.21.4: who waits for a value goes on without one if making it failed.
#[test]
fn a_value_is_waited_for_that_could_not_be_made() {
    let cell = Arc::new(once_cell::sync::OnceCell::<Box<u32>>::new());
    let theirs = cell.clone();
    let thread = thread::spawn(move || {
        assert!(theirs.get_or_try_init(|| Err(())).is_err());
        theirs.set(Box::new(5)).unwrap();
    });
    assert_eq!(**cell.wait(), 5);
    thread.join().unwrap();
}
