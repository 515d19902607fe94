//! The numbers by which a run names its mutants and points.
//!
//! They are given when a run is planned. Mutants are counted from 1, in the order of the text, so those of a point
//! follow each other; a point goes by the number of its first mutant. Woven code has these numbers as literals.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

/// A mutant's number within a run, from 1. Zero is the original.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
#[repr(transparent)]
pub struct MutantId(pub u32);

impl MutantId {
    /// No mutant.
    pub const ORIGINAL: MutantId = MutantId(0);

    /// The mutants of a run that has so many, without the original.
    pub fn up_to(count: u32) -> impl DoubleEndedIterator<Item = MutantId> + Clone {
        (1..=count).map(MutantId)
    }

    pub fn is_original(self) -> bool {
        self == MutantId::ORIGINAL
    }

    /// Where it stands in a table that begins with the original.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for MutantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for MutantId {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<MutantId, ParseIntError> {
        text.parse().map(MutantId)
    }
}

/// A mutant that is two others at once. Written as `7=2+5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SecondOrderMutant {
    pub id: MutantId,
    pub parts: [MutantId; 2],
}

impl fmt::Display for SecondOrderMutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.parts;
        write!(f, "{}={first}+{second}", self.id)
    }
}

impl FromStr for SecondOrderMutant {
    type Err = ();

    fn from_str(text: &str) -> Result<SecondOrderMutant, ()> {
        let parse = |id: &str| id.parse().map_err(|_| ());
        let (id, parts) = text.split_once('=').ok_or(())?;
        let (first, second) = parts.split_once('+').ok_or(())?;
        Ok(SecondOrderMutant {
            id: parse(id)?,
            parts: [parse(first)?, parse(second)?],
        })
    }
}

/// A point's number within a run: that of its first mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct PointId(pub u32);

impl PointId {
    /// The point's mutant that stands at this place, counted from 1.
    pub fn mutant(self, place: u32) -> MutantId {
        MutantId(self.0 + place - 1)
    }

    /// Where a mutant stands if it is one of the point's: none if it stands before all of them.
    pub fn place(self, mutant: MutantId) -> Option<u32> {
        (mutant.0 >= self.0).then(|| mutant.0 - self.0 + 1)
    }

    /// Where it stands in a table by mutants that begins with the original.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for PointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A point of a run, with the number of mutants that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberedPoint {
    pub id: PointId,
    pub size: u16,
}

impl NumberedPoint {
    pub fn new(first: MutantId, size: u16) -> NumberedPoint {
        NumberedPoint {
            id: PointId(first.0),
            size,
        }
    }

    pub fn mutants(self) -> impl DoubleEndedIterator<Item = MutantId> + Clone {
        (1..=u32::from(self.size)).map(move |place| self.id.mutant(place))
    }

    pub fn holds(self, mutant: MutantId) -> bool {
        let place = self.id.place(mutant);
        place.is_some_and(|place| place <= u32::from(self.size))
    }
}

/// All mutants of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbering {
    /// How many there are, those that are at no point included.
    pub mutants: u32,
    /// Ascending.
    pub points: Vec<NumberedPoint>,
    /// How many functions say when they are entered.
    pub functions: u32,
}

impl Numbering {
    /// So many mutants, at these points.
    pub fn new(mutants: u32, points: &[NumberedPoint]) -> Numbering {
        Numbering {
            mutants,
            points: points.to_vec(),
            functions: 0,
        }
    }

    #[must_use]
    pub fn with_functions(self, functions: u32) -> Numbering {
        Numbering { functions, ..self }
    }

    /// All mutants of these points.
    pub fn mutants_at(&self, points: &[PointId]) -> Vec<MutantId> {
        let numbered = points.iter().filter_map(|id| {
            let found = self.points.binary_search_by_key(id, |point| point.id);
            found.ok().map(|at| self.points[at])
        });
        numbered.flat_map(NumberedPoint::mutants).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_holds_the_mutants_from_its_first_on() {
        let point = NumberedPoint::new(MutantId(4), 3);
        let ids: Vec<u32> = point.mutants().map(|mutant| mutant.0).collect();
        assert_eq!(ids, [4, 5, 6]);
        for id in 0..9 {
            assert_eq!(point.holds(MutantId(id)), ids.contains(&id), "{id}");
        }
        assert_eq!(point.id.mutant(3), MutantId(6));
        assert_eq!(point.id.place(MutantId(6)), Some(3));
    }

    #[test]
    fn points_are_found_by_their_numbers() {
        let points = [(1, 2), (3, 1), (5, 2)];
        let points = points.map(|(first, size)| NumberedPoint::new(MutantId(first), size));
        let numbering = Numbering::new(7, &points);
        let ids = |points: &[u32]| {
            let points: Vec<PointId> = points.iter().copied().map(PointId).collect();
            let mutants = numbering.mutants_at(&points);
            mutants.iter().map(|mutant| mutant.0).collect::<Vec<_>>()
        };
        assert_eq!(ids(&[5, 1]), [5, 6, 1, 2]);
        assert_eq!(ids(&[4, 7]), [0; 0], "no point begins there");
    }

    #[test]
    fn ids_are_written_and_read_as_numbers() {
        assert_eq!(format!("{:>3}", MutantId(17)), " 17");
        assert_eq!("17".parse(), Ok(MutantId(17)));
        assert!("-1".parse::<MutantId>().is_err());
        let pair = SecondOrderMutant {
            id: MutantId(7),
            parts: [MutantId(2), MutantId(5)],
        };
        assert_eq!(pair.to_string().parse(), Ok(pair));
        assert!("7=2".parse::<SecondOrderMutant>().is_err());
        assert_eq!(
            MutantId::up_to(2).collect::<Vec<_>>(),
            [MutantId(1), MutantId(2)]
        );
    }
}
