//! As many seats are sold as there are, whoever sells them.

use airline::Airline;

/// What is sold of so many tickets, and what may be.
fn sold(tickets: usize) -> (usize, usize) {
    let airline = Airline::new(tickets);
    let report = airline.sell_all();
    assert!(report.stopped);
    (report.sold, airline.capacity())
}

#[test]
fn of_two_tickets_exactly_one_is_sold() {
    assert_eq!(sold(2), (1, 1));
}

#[test]
fn of_two_tickets_not_more_are_sold_than_there_are_seats() {
    let (sold, capacity) = sold(2);
    assert!(sold <= capacity);
}

#[test]
fn of_two_tickets_not_fewer_are_sold_than_there_are_seats() {
    let (sold, capacity) = sold(2);
    assert!(sold >= capacity);
}

#[test]
fn of_three_tickets_exactly_two_are_sold() {
    assert_eq!(sold(3), (2, 2));
}

#[test]
fn of_three_tickets_not_more_are_sold_than_there_are_seats() {
    let (sold, capacity) = sold(3);
    assert!(sold <= capacity);
}

#[test]
fn of_three_tickets_not_fewer_are_sold_than_there_are_seats() {
    let (sold, capacity) = sold(3);
    assert!(sold >= capacity);
}

#[test]
fn of_five_tickets_exactly_four_are_sold() {
    assert_eq!(sold(5), (4, 4));
}

#[test]
fn of_five_tickets_not_more_are_sold_than_there_are_seats() {
    let (sold, capacity) = sold(5);
    assert!(sold <= capacity);
}

#[test]
fn of_six_tickets_not_fewer_are_sold_than_there_are_seats() {
    let (sold, capacity) = sold(6);
    assert!(sold >= capacity);
}
