//! A writer changes two numbers together, two readers compare them. Broken: it locks for each number anew.

use std::sync::Arc;

use super::Version;
use crate::under::sync::RwLock;
use crate::under::thread;

pub fn run(version: Version) {
    let pair = Arc::new(RwLock::new((0, 0)));
    let writer = {
        let pair = pair.clone();
        thread::spawn(move || {
            for _ in 0..2 {
                match version {
                    Version::Right => {
                        let mut pair = pair.write().unwrap();
                        *pair = (pair.0 + 1, pair.1 + 1);
                    }
                    Version::Broken => {
                        pair.write().unwrap().0 += 1;
                        pair.write().unwrap().1 += 1;
                    }
                }
            }
        })
    };
    let readers: Vec<_> = (0..2)
        .map(|_| {
            let pair = pair.clone();
            thread::spawn(move || {
                let pair = pair.read().unwrap();
                assert_eq!(pair.0, pair.1);
            })
        })
        .collect();
    writer.join().unwrap();
    readers
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
}
