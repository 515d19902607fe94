//! The patterns of mistakes in concurrent programs, and which operators stand for each: Table 4 of
//! Bradbury, Cordy and Dingel, "Mutation Operators for Concurrent Java (J2SE 5.0)", 2006. Two
//! patterns have no operator, there as here.

use crate::operator::Operator;

/// A mistake that people make with threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BugPattern {
    /// What looks like one operation is several.
    NonatomicAssumedAtomic,
    /// Each of two accesses is protected, but not both together.
    TwoStageAccess,
    /// Others take another lock, or none.
    WrongOrNoLock,
    /// An object is seen before it is whole.
    DoubleCheckedLocking,
    /// A sleep that is hoped to be long enough.
    Sleep,
    /// A notification before anyone waits.
    LosingANotify,
    /// One is notified where all should be.
    NotifyInsteadOfNotifyAll,
    /// Any other signal that does not come.
    OtherMissingSignals,
    /// Control is not given back.
    BlockingCriticalSection,
    /// Threads wait for one that is gone.
    OrphanedThread,
    /// Threads disturb each other's data.
    Interference,
    /// Threads wait for each other in a circle.
    Deadlock,
    /// A thread never gets its turn.
    Starvation,
    /// All of a resource is held, and more is asked for.
    ResourceExhaustion,
    /// A count starts wrong.
    IncorrectCountInitialization,
}

impl BugPattern {
    pub const ALL: [BugPattern; 15] = [
        BugPattern::NonatomicAssumedAtomic,
        BugPattern::TwoStageAccess,
        BugPattern::WrongOrNoLock,
        BugPattern::DoubleCheckedLocking,
        BugPattern::Sleep,
        BugPattern::LosingANotify,
        BugPattern::NotifyInsteadOfNotifyAll,
        BugPattern::OtherMissingSignals,
        BugPattern::BlockingCriticalSection,
        BugPattern::OrphanedThread,
        BugPattern::Interference,
        BugPattern::Deadlock,
        BugPattern::Starvation,
        BugPattern::ResourceExhaustion,
        BugPattern::IncorrectCountInitialization,
    ];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            BugPattern::NonatomicAssumedAtomic => "nonatomic operations assumed to be atomic",
            BugPattern::TwoStageAccess => "two-stage access",
            BugPattern::WrongOrNoLock => "wrong lock or no lock",
            BugPattern::DoubleCheckedLocking => "double-checked locking",
            BugPattern::Sleep => "the sleep() pattern",
            BugPattern::LosingANotify => "losing a notify",
            BugPattern::NotifyInsteadOfNotifyAll => "notify instead of notify all",
            BugPattern::OtherMissingSignals => "other missing or nonexistent signals",
            BugPattern::BlockingCriticalSection => "a blocking critical section",
            BugPattern::OrphanedThread => "the orphaned thread",
            BugPattern::Interference => "interference",
            BugPattern::Deadlock => "deadlock (deadly embrace)",
            BugPattern::Starvation => "starvation",
            BugPattern::ResourceExhaustion => "resource exhaustion",
            BugPattern::IncorrectCountInitialization => "incorrect count initialization",
        }
    }

    /// The operators that stand for it, in the order of the catalogue.
    pub fn operators(self) -> impl Iterator<Item = Operator> {
        Operator::all().filter(move |operator| operator.patterns().contains(&self))
    }
}

impl Operator {
    /// The patterns that a concurrency operator stands for; other operators have none.
    pub fn patterns(self) -> &'static [BugPattern] {
        use BugPattern::*;
        match self {
            Operator::Mxt => &[Sleep, Interference],
            Operator::Msp => &[WrongOrNoLock],
            Operator::Esp => &[WrongOrNoLock, Deadlock],
            Operator::Msf => &[Starvation],
            Operator::Mxc => &[
                OtherMissingSignals,
                ResourceExhaustion,
                IncorrectCountInitialization,
            ],
            Operator::Mbr => &[OtherMissingSignals],
            Operator::Rtxc => &[Sleep, LosingANotify, Interference],
            Operator::Rcxc => &[
                WrongOrNoLock,
                LosingANotify,
                OtherMissingSignals,
                BlockingCriticalSection,
                Interference,
            ],
            Operator::Rna => &[NotifyInsteadOfNotifyAll],
            Operator::Rjs => &[Sleep],
            Operator::Elpa => &[Starvation],
            Operator::Ean => &[NonatomicAssumedAtomic],
            Operator::Astk | Operator::Rstk => &[WrongOrNoLock],
            Operator::Ask => &[Deadlock],
            Operator::Rsk | Operator::Rsb => &[WrongOrNoLock],
            Operator::Rvk => &[NonatomicAssumedAtomic],
            Operator::Rfu => &[BlockingCriticalSection],
            Operator::Rxo => &[WrongOrNoLock, Deadlock],
            Operator::Eelo => &[WrongOrNoLock, Deadlock],
            Operator::Shcr | Operator::Skcr => &[WrongOrNoLock],
            Operator::Excr => &[WrongOrNoLock, Deadlock],
            Operator::Spcr => &[TwoStageAccess],
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::Category;
    use std::collections::BTreeSet;

    /// Table 4 as it is printed.
    const TABLE_4: [(BugPattern, &str); 15] = [
        (BugPattern::NonatomicAssumedAtomic, "RVK, EAN"),
        (BugPattern::TwoStageAccess, "SPCR"),
        (
            BugPattern::WrongOrNoLock,
            "MSP, ESP, EELO, SHCR, SKCR, EXCR, RSB, RSK, ASTK, RSTK, RCXC, RXO",
        ),
        (BugPattern::DoubleCheckedLocking, ""),
        (BugPattern::Sleep, "MXT, RJS, RTXC"),
        (BugPattern::LosingANotify, "RTXC, RCXC"),
        (BugPattern::NotifyInsteadOfNotifyAll, "RNA"),
        (BugPattern::OtherMissingSignals, "MXC, MBR, RCXC"),
        (BugPattern::BlockingCriticalSection, "RFU, RCXC"),
        (BugPattern::OrphanedThread, ""),
        (BugPattern::Interference, "MXT, RTXC, RCXC"),
        (BugPattern::Deadlock, "ESP, EXCR, EELO, RXO, ASK"),
        (BugPattern::Starvation, "MSF, ELPA"),
        (BugPattern::ResourceExhaustion, "MXC"),
        (BugPattern::IncorrectCountInitialization, "MXC"),
    ];

    #[test]
    fn patterns_and_operators_are_those_of_table_4() {
        for (pattern, expected) in TABLE_4 {
            let found: BTreeSet<&str> = pattern.operators().map(Operator::code).collect();
            let expected: BTreeSet<&str> = expected
                .split(", ")
                .filter(|code| !code.is_empty())
                .collect();
            assert_eq!(found, expected, "{}", pattern.name());
        }
        assert_eq!(TABLE_4.map(|(pattern, _)| pattern), BugPattern::ALL);
    }

    #[test]
    fn every_concurrency_operator_stands_for_a_pattern_and_no_other_does() {
        for operator in Operator::all() {
            let is_concurrent = operator.category() == Category::Concurrency;
            assert_eq!(!operator.patterns().is_empty(), is_concurrent, "{operator}");
        }
    }

    #[test]
    fn the_catalogue_has_the_25_operators_of_table_3() {
        let count = Operator::all()
            .filter(|operator| operator.category() == Category::Concurrency)
            .count();
        assert_eq!(count, 25);
    }
}
