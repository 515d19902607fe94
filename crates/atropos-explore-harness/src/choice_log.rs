//! The choices of the execution under way, in memory that a worker shares with the process that waits for it: when a
//! mutant takes its worker down, the schedule that did it is known.
//!
//! Threads are written down by the order in which the execution starts them, as a process numbers them that runs nothing
//! else: the worker's own numbers for threads that it was the first to meet would mean others to everybody else.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use atropos_protocol::sys;
use atropos_search::{Choice, Guide, Schedule, SchedulingPoint, Thread, pass_on};

/// Choices that are written down; longer executions lose their end, and then have no schedule to show.
const MOST: usize = 1 << 20;
/// Marks an alternative among threads.
const ALTERNATIVE: u32 = 1 << 31;

/// Where the choices stand.
#[repr(C)]
pub struct ChoiceLog {
    /// Executions that were begun.
    executions: AtomicU64,
    /// The piece of a shared exploration that its process is at.
    piece: AtomicU64,
    length: AtomicU64,
    choices: [AtomicU32; MOST],
}

impl ChoiceLog {
    /// A new one, for a worker yet to be forked. It is never given back: use it again for the next.
    pub fn make() -> Result<&'static ChoiceLog, String> {
        let protection = sys::PROT_READ | sys::PROT_WRITE;
        let flags = sys::MAP_SHARED | sys::MAP_ANONYMOUS;
        let place = sys::map(-1, size_of::<ChoiceLog>(), protection, flags)
            .map_err(|error| format!("no memory to share: error {}", error.0))?;
        // SAFETY: fresh memory, page-aligned, zeroed, never unmapped; the type holds atomics only.
        Ok(unsafe { &*place.cast::<ChoiceLog>() })
    }

    /// An execution begins.
    pub fn begin(&self) {
        self.executions.fetch_add(1, Relaxed);
        self.length.store(0, Relaxed);
    }

    /// A process begins with a piece of a shared exploration.
    pub fn begin_piece(&self, piece: u64) {
        self.executions.store(0, Relaxed);
        self.piece.store(piece, Relaxed);
    }

    /// The piece that the process is at.
    pub fn piece(&self) -> u64 {
        self.piece.load(Relaxed)
    }

    /// How many executions it has begun, in its piece if it has one.
    pub fn executions(&self) -> u64 {
        self.executions.load(Relaxed)
    }

    fn write(&self, choice: u32) {
        let at = self.length.load(Relaxed);
        if let Some(place) = self.choices.get(at as usize) {
            place.store(choice, Relaxed);
        }
        self.length.store(at + 1, Relaxed);
    }

    /// The choices of the last execution, unless they were too many.
    pub fn schedule(&self) -> Option<Schedule> {
        let choices = self.choices.get(..self.length.load(Relaxed) as usize)?;
        let choice = |place: &AtomicU32| match place.load(Relaxed) {
            thread if thread & ALTERNATIVE == 0 => Choice::thread(Thread(thread)),
            alternative => Choice::data(alternative & !ALTERNATIVE),
        };
        Some(Schedule {
            choices: choices.iter().map(choice).collect(),
        })
    }
}

/// Writes down what a guide chooses in an execution, before the system acts on it.
pub struct LoggingGuide<'a> {
    guide: &'a mut dyn Guide,
    log: &'a ChoiceLog,
    /// Which place each thread has among those that were started.
    places: Vec<Option<u32>>,
    started: u32,
}

impl<'a> LoggingGuide<'a> {
    /// For an execution that begins.
    pub fn new(guide: &'a mut dyn Guide, log: &'a ChoiceLog) -> LoggingGuide<'a> {
        log.begin();
        let mut writing = LoggingGuide {
            guide,
            log,
            places: Vec::new(),
            started: 0,
        };
        writing.place(Thread(0));
        writing
    }

    /// The place of a thread; the next one, if it was not seen before.
    fn place(&mut self, thread: Thread) -> u32 {
        if self.places.len() <= thread.index() {
            self.places.resize(thread.index() + 1, None);
        }
        *self.places[thread.index()].get_or_insert_with(|| {
            self.started += 1;
            self.started - 1
        })
    }
}

impl Guide for LoggingGuide<'_> {
    fn choose(&mut self, point: &SchedulingPoint<'_>) -> Option<Thread> {
        let chosen = self.guide.choose(point);
        if let Some(thread) = chosen.filter(|_| !point.is_over()) {
            let place = self.place(thread);
            self.log.write(place);
        }
        chosen
    }

    fn data(&mut self, options: u32) -> u32 {
        let value = self.guide.data(options);
        // Where there is one alternative only, no guide takes it for a choice.
        if options > 1 {
            self.log.write(value | ALTERNATIVE);
        }
        value
    }

    fn random_data(&mut self) -> u32 {
        let value = self.guide.random_data();
        if value > 0 {
            self.log.write(value | ALTERNATIVE);
        }
        value
    }

    /// Whoever is started is woken by that, before anything else becomes of it.
    fn wake(&mut self, thread: Thread) {
        self.place(thread);
        self.guide.wake(thread);
    }

    pass_on!(self => self.guide; refine, observe, reach, wants_fingerprint, is_fresh);
}

/// Follows a schedule to its end and stops there.
pub struct FollowingGuide<'a>(pub std::slice::Iter<'a, Choice>);

impl Guide for FollowingGuide<'_> {
    fn choose(&mut self, point: &SchedulingPoint<'_>) -> Option<Thread> {
        if point.is_over() {
            return None;
        }
        let thread = self.0.next()?.as_thread()?;
        point.is_ready(thread).then_some(thread)
    }

    fn data(&mut self, options: u32) -> u32 {
        let next = match options > 1 {
            true => self.0.next().and_then(|choice| choice.as_data()),
            false => None,
        };
        next.unwrap_or(0)
    }

    fn random_data(&mut self) -> u32 {
        let first = self.0.as_slice().first();
        match first.and_then(|choice| choice.as_data()) {
            Some(value) => {
                self.0.next();
                value
            }
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_the_schedule_of_the_last_execution() {
        let log = ChoiceLog::make().unwrap();
        log.begin();
        log.write(7);
        log.begin();
        for choice in [0, 0, 1, 2 | ALTERNATIVE, 0] {
            log.write(choice);
        }
        assert_eq!(log.schedule().unwrap().to_string(), "s1:0*2,1,=2,0");
    }

    /// Lets the thread go on that is at this place.
    struct Always(u32);

    impl Guide for Always {
        fn choose(&mut self, _: &SchedulingPoint<'_>) -> Option<Thread> {
            Some(Thread(self.0))
        }

        fn data(&mut self, _: u32) -> u32 {
            0
        }
    }

    #[test]
    fn threads_are_written_down_in_the_order_in_which_they_are_started() {
        let log = ChoiceLog::make().unwrap();
        let point = SchedulingPoint {
            threads: &[],
            fingerprint: None,
            phase: atropos_search::ExecutionPhase::Running,
        };
        let mut guide = Always(7);
        let mut writing = LoggingGuide::new(&mut guide, log);
        writing.wake(Thread(9));
        writing.wake(Thread(7));
        writing.wake(Thread(9));
        writing.choose(&point);
        assert_eq!(log.schedule().unwrap().to_string(), "s1:2");
    }

    #[test]
    fn an_execution_that_is_too_long_has_no_schedule() {
        let log = ChoiceLog::make().unwrap();
        log.begin();
        (0..=MOST).for_each(|_| log.write(0));
        assert_eq!(log.schedule(), None);
    }
}
