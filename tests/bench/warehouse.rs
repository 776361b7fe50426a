//! Queries answered on a small database: `cargo bench --bench warehouse`.
//!
//! Four queries as outputs write them, joins and groups over 40 customers and 200 purchases, on the database and on its
//! copies, from two threads. Making the six copies is timed on its own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use gradus::observe::Status;
use gradus::warehouse::{Limits, Warehouse};

#[path = "../warehouse/shop.rs"]
#[allow(dead_code)]
mod shop;

const QUERIES: [&str; 4] = [
    "SELECT name FROM customer WHERE id = 7",
    "SELECT city, count(*) FROM customer GROUP BY city ORDER BY 2 DESC",
    "SELECT name, sum(amount) FROM purchase JOIN customer ON buyer = id WHERE city = 'Ulm' GROUP BY id",
    "SELECT max(amount) FROM purchase WHERE note LIKE '%3'",
];
const EACH: usize = 40_000;
const THREADS: usize = 2;

fn main() {
    let (_folder, warehouse) = shop::with(Limits::default());
    let start = Instant::now();
    for copy in 0..=6 {
        warehouse.run("shop", copy, QUERIES[0]).expect("an answer");
    }
    println!("open the database and make six copies: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    for query in QUERIES {
        measure(query, &|n| warehouse.run("shop", (n % 7) as u8, query).expect("an answer").status);
    }
    measure("all four in turn", &|n| warehouse.run("shop", (n % 7) as u8, QUERIES[n % 4]).expect("an answer").status);
}

fn measure(what: &str, ask: &(dyn Fn(usize) -> Status + Sync)) {
    let next = AtomicUsize::new(0);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= EACH {
                        break;
                    }
                    assert_eq!(ask(n), Status::Value);
                }
            });
        }
    });
    let seconds = start.elapsed().as_secs_f64();
    println!("{:>9.0} observations/s on {THREADS} threads: {what}", EACH as f64 / seconds);
}
