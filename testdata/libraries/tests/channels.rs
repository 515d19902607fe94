//! A worker behind crossbeam channels.

use libraries::channels::{first, squares};

#[test]
fn squares_come_in_order() {
    assert_eq!(squares(vec![1, 2, 3]), [1, 4, 9]);
}

#[test]
fn nobody_answers() {
    let (sender, receiver) = crossbeam_channel::unbounded();
    assert_eq!(first(&receiver), None);
    sender.send(1).unwrap();
    assert_eq!(first(&receiver), Some(1));
}
