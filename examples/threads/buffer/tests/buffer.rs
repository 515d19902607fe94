//! Producers and consumers all end, and no item is lost.

use std::thread;

use buffer::Buffer;

#[test]
fn one_producer_and_one_consumer_keep_the_order() {
    let buffer = Buffer::new(1);
    thread::scope(|scope| {
        scope.spawn(|| {
            for item in 0..2 {
                buffer.put_item(item);
                assert!(buffer.len() <= 1);
            }
        });
        assert_eq!([buffer.get_item(), buffer.get_item()], [0, 1]);
    });
    assert!(buffer.is_empty());
}

#[test]
fn two_consumers_get_one_item_each() {
    let buffer = Buffer::new(2);
    thread::scope(|scope| {
        let consumers = [(); 2].map(|()| scope.spawn(|| buffer.get_item()));
        buffer.put_item(1);
        buffer.put_item(2);
        let mut got = consumers.map(|consumer| consumer.join().unwrap());
        got.sort();
        assert_eq!(got, [1, 2]);
    });
}

#[test]
fn two_producers_share_one_place() {
    let buffer = Buffer::new(1);
    thread::scope(|scope| {
        for item in 1..=2 {
            let buffer = &buffer;
            scope.spawn(move || buffer.put_item(item));
        }
        let mut got = [buffer.get_item(), buffer.get_item()];
        got.sort();
        assert_eq!(got, [1, 2]);
    });
    assert_eq!(buffer.len(), 0);
}

/// Both producers wait for room, and both get it.
#[test]
fn two_producers_find_room_for_one_item_each() {
    let buffer = Buffer::new(2);
    buffer.put_item(1);
    buffer.put_item(2);
    thread::scope(|scope| {
        for item in 3..=4 {
            let buffer = &buffer;
            scope.spawn(move || buffer.put_item(item));
        }
        assert_eq!([buffer.get_item(), buffer.get_item()], [1, 2]);
    });
    assert_eq!(buffer.len(), 2);
}
