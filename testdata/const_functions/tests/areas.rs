//! Calls the library in a constant that a macro makes.

macro_rules! constant {
    ($name:ident, $value:expr) => {
        const $name: u32 = $value;
    };
}

constant!(SIX, const_functions::area(2, 3));

#[test]
fn areas_are_products() {
    assert_eq!(SIX, 6);
    assert_eq!(const_functions::edge(SIX), 7);
}
