//! No item is sold twice.

use std::thread;

use no_rollback::{Balance, Item, Shop};

/// Customers who all want the same items, in this order each. Who bought what.
fn buy(shop: &Shop, wishes: &[&[usize]]) -> Vec<Vec<usize>> {
    thread::scope(|scope| {
        let threads: Vec<_> = wishes
            .iter()
            .zip(1..)
            .map(|(wishes, customer)| {
                scope.spawn(move || {
                    let bought = wishes.iter().copied().filter(|&item| {
                        let has_booked = shop.book(item, customer);
                        let has_bought = shop.purchase(item, customer);
                        assert_eq!(has_booked, has_bought);
                        has_bought
                    });
                    bought.collect()
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    })
}

#[test]
fn one_item_goes_to_one_of_two_customers() {
    let shop = Shop::new(&[40]);
    let bought = buy(&shop, &[&[0], &[0]]);
    assert_eq!(bought.concat(), [0]);
    let buyer = if bought[0].is_empty() { 2 } else { 1 };
    assert_eq!(shop.item(0), Item::Sold(buyer));
    assert_eq!(shop.bill(buyer).to_pay, 40);
    assert_eq!(shop.bill(3 - buyer).to_pay, 0);
}

#[test]
fn two_items_are_each_sold_once() {
    let shop = Shop::new(&[40, 60]);
    let mut sold = buy(&shop, &[&[0, 1], &[1, 0]]).concat();
    sold.sort();
    assert_eq!(sold, [0, 1]);
    let bills = [shop.bill(1), shop.bill(2)];
    assert_eq!(bills[0].sum + bills[1].sum, shop.balance().turnover);
    for bill in bills {
        let discount = if bill.items == 2 { 10 } else { 0 };
        assert_eq!(bill.to_pay + discount, bill.sum);
    }
}

#[test]
fn three_customers_and_one_item() {
    let shop = Shop::new(&[119]);
    assert_eq!(buy(&shop, &[&[0], &[0], &[0]]).concat(), [0]);
    let balance = shop.balance();
    assert_eq!(
        (balance.turnover, balance.tax, balance.average),
        (119, 19, 119)
    );
}

#[test]
fn nobody_purchases_what_another_booked() {
    let shop = Shop::new(&[10, 20, 30]);
    assert!(shop.book(0, 7));
    assert!(shop.book(1, 9));
    thread::scope(|scope| {
        scope.spawn(|| assert!(!shop.purchase(0, 8)));
        scope.spawn(|| assert!(!shop.book(0, 8)));
        scope.spawn(|| assert!(shop.purchase(0, 7)));
    });
    assert_eq!(shop.item(0), Item::Sold(7));
    let Balance {
        sold, stuck, left, ..
    } = shop.balance();
    assert_eq!((sold, stuck, left), (1, 1, 1));
}
