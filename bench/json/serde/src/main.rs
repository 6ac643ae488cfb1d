// As orders.met, with serde_json.
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Item {
    sku: String,
    count: i64,
    price: f64,
}

#[derive(Serialize, Deserialize)]
struct Order {
    id: i64,
    customer: String,
    email: String,
    city: String,
    paid: bool,
    total: f64,
    note: Option<String>,
    tags: Vec<String>,
    items: Vec<Item>,
}

fn now() -> f64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut t) };
    t.tv_sec as f64 * 1e3 + t.tv_nsec as f64 / 1e6
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let rounds: usize = args[2].parse().unwrap();
    let (mut decoding, mut encoding) = (f64::MAX, f64::MAX);
    let (mut sum, mut size) = (0, 0);
    for _ in 0..rounds {
        let start = now();
        let orders: Vec<Order> = serde_json::from_str(&text).unwrap();
        decoding = decoding.min(now() - start);
        sum = 0;
        for order in &orders {
            sum += order.id + order.customer.chars().count() as i64 + order.items.len() as i64;
            sum += order.items.iter().map(|item| item.count).sum::<i64>();
        }
        let start = now();
        let out = serde_json::to_string(&orders).unwrap();
        encoding = encoding.min(now() - start);
        size = out.chars().count();
    }
    println!("{decoding:.3} {encoding:.3} {sum} {size}");
}
