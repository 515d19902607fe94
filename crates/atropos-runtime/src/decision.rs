//! What happens at a mutation point where something may happen.
//!
//! Values decide first. A variant whose value equals the original's is not infected at this hit
//! and goes on as part of the original; variants that are equal to each other are run together by
//! one process, until a later hit parts them. A value that can't be known makes its variant a
//! class of its own.

use atropos_protocol::{Board, TestResult, sys};
use atropos_values::{Hit, Key, MutantId};

use crate::fork::{self, ForkSide};
use crate::role::{self, MutantClass, Role, bit};
use crate::{effects, outside_tests, steps, table};

fn size(hit: &Hit, board: &Board) -> u32 {
    match hit.letters {
        Some(letters) => letters.len() as u32,
        None => board.size_of_point(hit.point),
    }
}

/// Which variant acts at this hit: 0 for the original.
#[cold]
pub fn decide(hit: &Hit) -> u32 {
    if let Some(acting) = table::known(hit.point) {
        return acting;
    }
    let Some(board) = role::board() else { return 0 };
    let errno = sys::errno();
    let acting = match role::role() {
        Role::Bystander => 0,
        Role::Recorder => record(hit, board),
        Role::Original => fork_infected(hit, board),
        Role::Mutant => act(hit, board),
    };
    sys::set_errno(errno);
    acting
}

fn record(hit: &Hit, board: &Board) -> u32 {
    steps::looks_for_threads();
    let (reached, infected) = (board.reached(), board.infected());
    let Some(mark) = reached.get(hit.point.index()) else {
        return 0;
    };
    const RELAXED: std::sync::atomic::Ordering = std::sync::atomic::Ordering::Relaxed;
    if mark.fetch_or(outside_tests::mark(), RELAXED) == 0 {
        effects::look_at_descriptors();
    }
    let mut open = false;
    for k in 1..=size(hit, board) {
        let Some(mark) = infected.get(hit.point.mutant(k).index()) else {
            break;
        };
        if mark.load(RELAXED) != 0 {
            continue;
        }
        match hit.infects(k) {
            true => {
                let record = &board.records()[hit.point.mutant(k).index()];
                record.set_measures(steps::taken(), 0);
                mark.store(1, RELAXED);
            }
            false => open |= hit.key(k) != Key::Gone,
        }
    }
    done(hit, open)
}

/// All is done that this hit called for; nothing ever is any more at its point unless it is `open`.
fn done(hit: &Hit, open: bool) -> u32 {
    match open {
        true => table::set_done(hit.point, hit.case),
        false => table::mark_cold(hit.point),
    }
    0
}

/// A wanted mutant that nothing has been decided about.
fn is_open(board: &Board, mutant: MutantId) -> bool {
    board.is_wanted(mutant) && board.records()[mutant.index()].result() == TestResult::NotRun
}

fn fork_infected(hit: &Hit, board: &Board) -> u32 {
    let size = size(hit, board);
    let mut open = false;
    for k in 1..=size {
        let mutant = hit.point.mutant(k);
        if !is_open(board, mutant) {
            continue;
        }
        if !hit.infects(k) {
            open |= hit.key(k) != Key::Gone;
            continue;
        }
        let class = class_of(hit, k, |other| {
            other <= size && is_open(board, hit.point.mutant(other))
        });
        if let Some(reason) = fork::hazard() {
            fork::needs_own_process(board, class, reason);
            continue;
        }
        if fork::fork(board, class) == ForkSide::Child {
            return class.leader;
        }
    }
    done(hit, open)
}

/// Variant `k` with all later ones that are the same at this hit and that `may_join`.
fn class_of(hit: &Hit, k: u32, may_join: impl Fn(u32) -> bool) -> MutantClass {
    let mut class = MutantClass::single(hit.point, k);
    if k <= 64 {
        let key = hit.key(k);
        for other in k + 1..=64 {
            if may_join(other) && hit.key(other).same(key) {
                class.members |= bit(other);
            }
        }
    }
    class
}

/// Acts as the class of this process; those that part from its leader are forked off.
fn act(hit: &Hit, board: &Board) -> u32 {
    let class = role::class();
    if hit.point != class.point {
        return 0;
    }
    if !steps::has_differed() && hit.infects(class.leader) {
        steps::differs_now(board);
    }
    let key = hit.key(class.leader);
    let mut leaving = 0;
    if class.members != bit(class.leader) {
        for k in 1..=64 {
            if k != class.leader && class.members & bit(k) != 0 && !hit.key(k).same(key) {
                leaving |= bit(k);
            }
        }
    }
    if leaving == 0 {
        if class.members == bit(class.leader) {
            match steps::has_differed() {
                true => table::settle(hit.point, class.leader),
                // The mutant is as the original here, and is again in the same case.
                false => table::set_done(hit.point, hit.case),
            }
        }
        return class.leader;
    }
    fork::narrow(board, class.members & !leaving);
    for k in 1..=64 {
        if leaving & bit(k) == 0 {
            continue;
        }
        let parting = class_of(hit, k, |other| leaving & bit(other) != 0);
        leaving &= !parting.members;
        if let Some(reason) = fork::hazard() {
            fork::needs_own_process(board, parting, reason);
        } else if fork::fork(board, parting) == ForkSide::Child {
            return parting.leader;
        }
    }
    class.leader
}

#[cfg(test)]
mod tests {
    use atropos_values::PointId;

    use super::*;

    fn hit<'a>(letters: &'static [u8], original: Key, variant: &'a dyn Fn(u8) -> Key) -> Hit<'a> {
        Hit {
            point: PointId(10),
            letters: Some(letters),
            original,
            variant,
            case: None,
        }
    }

    #[test]
    fn equal_variants_share_a_class_and_unknown_ones_stay_alone() {
        let variant = |letter| match letter {
            b'a' => Key::Known(5),
            _ => Key::Unknown,
        };
        let hit = hit(b"auaua", Key::Known(1), &variant);
        let all = |_| true;
        assert_eq!(class_of(&hit, 1, all).members, 0b10101);
        assert_eq!(class_of(&hit, 2, all).members, 0b00010);
        assert_eq!(class_of(&hit, 1, |k| k != 5).members, 0b00101);
        assert_eq!(
            class_of(&hit, 3, all).ids().collect::<Vec<_>>(),
            [12, 14].map(MutantId)
        );
    }

    #[test]
    fn variants_beyond_the_sixty_fourth_are_alone() {
        let hit = hit(&[b'a'; 70], Key::Known(1), &|_| Key::Known(5));
        let class = class_of(&hit, 65, |_| true);
        assert_eq!(class.members, 0);
        assert_eq!(class.ids().collect::<Vec<_>>(), [MutantId(74)]);
        assert_eq!(class_of(&hit, 64, |_| true).ids().count(), 1);
    }
}
