// The works of bench/isolates in Rust: Tokio's mpsc between the two threads of its runtime, and crossbeam's channel between two
// threads. `work tokio|threads NAME STEPS`.
use crossbeam_channel::bounded;
use std::time::Instant;
use tokio::sync::mpsc::channel;

fn per(began: Instant, steps: u64) -> f64 { began.elapsed().as_nanos() as f64 / steps as f64 }

async fn tokio_messages(n: u64) -> f64 {
    let (to, mut source) = channel::<u64>(1024);
    let began = Instant::now();
    let producer = tokio::spawn(async move { for i in 0..n { to.send(i).await.unwrap(); } });
    let consumer = tokio::spawn(async move {
        let mut sum = 0;
        while let Some(x) = source.recv().await { sum += x; }
        sum
    });
    producer.await.unwrap();
    assert_eq!(consumer.await.unwrap(), n * (n - 1) / 2);
    per(began, n)
}

async fn tokio_ping_pong(n: u64) -> f64 {
    let (to, mut there) = channel::<u64>(1);
    let (back, mut source) = channel::<u64>(1);
    tokio::spawn(async move { while let Some(x) = there.recv().await { if back.send(x + 1).await.is_err() { break; } } });
    tokio::spawn(async move {
        let began = Instant::now();
        let mut x = 0;
        for _ in 0..n {
            to.send(x).await.unwrap();
            x = source.recv().await.unwrap();
        }
        per(began, n)
    }).await.unwrap()
}

fn messages(n: u64) -> f64 {
    let (to, source) = bounded::<u64>(1024);
    let began = Instant::now();
    let producer = std::thread::spawn(move || for i in 0..n { to.send(i).unwrap(); });
    let mut sum = 0;
    for x in source { sum += x; }
    producer.join().unwrap();
    assert_eq!(sum, n * (n - 1) / 2);
    per(began, n)
}

fn ping_pong(n: u64) -> f64 {
    let (to, there) = bounded::<u64>(1);
    let (back, source) = bounded::<u64>(1);
    std::thread::spawn(move || for x in there { if back.send(x + 1).is_err() { break; } });
    let began = Instant::now();
    let mut x = 0;
    for _ in 0..n {
        to.send(x).unwrap();
        x = source.recv().unwrap();
    }
    per(began, n)
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let n: u64 = args[3].parse().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    println!("{}", match (args[1].as_str(), args[2].as_str()) {
        ("tokio", "messages") => runtime.block_on(tokio_messages(n)),
        ("tokio", "ping_pong") => runtime.block_on(tokio_ping_pong(n)),
        ("threads", "messages") => messages(n),
        ("threads", "ping_pong") => ping_pong(n),
        _ => std::process::exit(3),
    });
}
