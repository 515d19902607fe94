//# paths and traits
use helper::attempt;

mod inner {
    pub mod deep {
        pub fn less(a: u32, b: u32) -> bool {
            ::old_style(a) < b && a + 1 != b
        }
    }
}

trait Shape {
    fn area(&self, scale: u32) -> u32;
}

struct Square(u32);

impl Shape for Square {
    fn area(&self, scale: u32) -> u32 {
        self.0 * self.0 * scale
    }
}

fn total(shapes: &[Box<Shape>]) -> u32 {
    let mut total = 0;
    for shape in shapes {
        total += shape.area(2);
    }
    let last = total - 1;
    last
}

fn parse(text: &str) -> Result<u32, ::std::num::ParseIntError> {
    let n = text.parse::<u32>()?;
    Ok(if n > 3 { n } else { -1i32 as u32 })
}

fn check(text: &str) -> Result<u32, ::std::num::ParseIntError> {
    try!(text.to_string().trim().parse::<u32>());
    Ok(try!(text.trim().parse::<u32>()) + 1)
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    attempt("less", || (inner::deep::less(1, 3), inner::deep::less(3, 1)));
    attempt("total", || total(&[Box::new(Square(2)), Box::new(Square(3))]));
    attempt("parse", || (parse("7"), parse("1"), parse("x")));
    attempt("check", || (check(" 7"), check("x")));
}
