//! Shapes with areas.

pub trait Shape {
    fn area(&self) -> u32;

    fn is_larger(&self, other: &dyn Shape) -> bool {
        self.area() > other.area()
    }
}

pub struct Square(pub u32);

pub struct Strip {
    pub length: u32,
}

impl Shape for Square {
    fn area(&self) -> u32 {
        self.0 * self.0
    }
}

impl Shape for Strip {
    fn area(&self) -> u32 {
        self.length + WIDTH - 1
    }
}

static WIDTH: u32 = 1;

pub fn areas(shapes: &[&dyn Shape]) -> u32 {
    fn sum(one: u32, other: u32) -> u32 {
        one + other
    }
    shapes.iter().map(|shape| shape.area()).fold(0, sum)
}
