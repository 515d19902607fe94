//! On tokio.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, Notify, Semaphore, mpsc};
use tokio::time::{sleep, timeout};

/// As many tasks as asked for add one each.
pub async fn count(tasks: u32) -> u32 {
    let total = Arc::new(Mutex::new(0));
    let mut all = Vec::new();
    for _ in 0..tasks {
        let total = total.clone();
        all.push(tokio::spawn(async move {
            let mut total = total.lock().await;
            *total += 1;
        }));
    }
    for one in all {
        one.await.unwrap();
    }
    *total.lock().await
}

/// Looks and writes under two locks: counts get lost.
pub async fn count_badly(tasks: u32) -> u32 {
    let total = Arc::new(Mutex::new(0));
    let mut all = Vec::new();
    for _ in 0..tasks {
        let total = total.clone();
        all.push(tokio::spawn(async move {
            let seen = *total.lock().await;
            *total.lock().await = seen + 1;
        }));
    }
    for one in all {
        one.await.unwrap();
    }
    *total.lock().await
}

/// The sum of what a task sends.
pub async fn sum(numbers: u32) -> u32 {
    let (sender, mut receiver) = mpsc::channel(1);
    let task = tokio::spawn(async move {
        for number in 0..numbers {
            sender.send(number).await.unwrap();
        }
    });
    let mut sum = 0;
    while let Some(number) = receiver.recv().await {
        sum += number;
    }
    task.await.unwrap();
    sum
}

/// Waits for a task that sleeps while it holds a permit.
pub async fn wait_for_sleeper() -> bool {
    let (permits, awake) = (Arc::new(Semaphore::new(1)), Arc::new(Notify::new()));
    let (its_permits, its_awake) = (permits.clone(), awake.clone());
    tokio::spawn(async move {
        let _permit = its_permits.acquire().await.unwrap();
        sleep(Duration::from_secs(5)).await;
        its_awake.notify_one();
    });
    timeout(Duration::from_secs(60), awake.notified())
        .await
        .is_ok()
}
