//! A module of the library, which leaves it out here, while a test includes it by its path.

use std::ops::Add;

/// Can be added and nothing else: other operators don't compile.
#[derive(Debug, PartialEq)]
pub struct Height(pub u32);

impl Add for Height {
    type Output = Height;

    fn add(self, other: Height) -> Height {
        Height(self.0 + other.0)
    }
}

pub fn raised(height: Height) -> Height {
    height + Height(2)
}
