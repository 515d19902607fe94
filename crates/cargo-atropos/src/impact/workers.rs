//! Workers that share a list of things to do, each with an [`Observer`] of its own.

use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;

use super::observer::{Observer, ObserverSetting};
use crate::interrupt::Interrupt;

/// What all workers need to know.
pub struct WorkerSetting<'a> {
    pub setting: &'a ObserverSetting<'a>,
    pub jobs: usize,
    pub timeout_multiplier: f64,
    pub interrupt: &'a Interrupt,
}

/// Does all items, in order of the list but several at once, and gives what each worker gathered.
/// Ends early if the user wants to end.
pub fn in_parallel<T: Sync, S: Default + Send>(
    team: &WorkerSetting<'_>,
    items: &[T],
    work: impl Fn(&mut Observer<'_>, &T, &mut S) + Sync,
) -> Result<Vec<S>> {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..team.jobs)
            .map(|worker| {
                let (next, work) = (&next, &work);
                scope.spawn(move || -> Result<S> {
                    let mut observer = Observer::new(team.setting, worker)?;
                    let mut gathered = S::default();
                    while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed))
                        && !team.interrupt.is_requested()
                    {
                        work(&mut observer, item, &mut gathered);
                    }
                    Ok(gathered)
                })
            })
            .collect();
        let gathered = workers.into_iter();
        gathered
            .map(|worker| worker.join().expect("a worker does not panic"))
            .collect()
    })
}
