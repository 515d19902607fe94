pub fn f0(a: i64, b: i64) -> i64 {
    a + b
}
