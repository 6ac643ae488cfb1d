// The works of bench/async on Tokio's current_thread runtime.
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, Semaphore};
use tokio::task::{yield_now, JoinSet};

fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap()
}

async fn plus_one(x: i64) -> i64 {
    x + 1
}

async fn spawn(n: usize) -> f64 {
    let began = cpu();
    let mut all = JoinSet::new();
    for i in 0..n {
        all.spawn(plus_one(i as i64));
    }
    while all.join_next().await.is_some() {}
    (cpu() - began) / n as f64
}

async fn turns(n: usize) {
    for _ in 0..n {
        yield_now().await;
    }
}

async fn yields(n: usize) -> f64 {
    let began = cpu();
    let mut all = JoinSet::new();
    for _ in 0..1000 {
        all.spawn(turns(n / 1000));
    }
    while all.join_next().await.is_some() {}
    (cpu() - began) / n as f64
}

async fn ready(n: usize) -> f64 {
    let began = cpu();
    let mut x = 0;
    for _ in 0..n {
        x = std::hint::black_box(plus_one(x).await);
    }
    std::hint::black_box(x);
    (cpu() - began) / n as f64
}

fn deep(depth: usize, n: usize) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        if depth <= 1 {
            turns(n).await
        } else {
            deep(depth - 1, n).await
        }
    })
}

async fn wake_at(depth: usize, n: usize) -> f64 {
    let began = cpu();
    tokio::spawn(deep(depth, n)).await.unwrap();
    (cpu() - began) / n as f64
}

async fn channel(n: usize) -> f64 {
    let (to, mut inbox) = mpsc::channel(1);
    let (back, mut answers) = mpsc::channel(1);
    let began = cpu();
    let echo = tokio::spawn(async move {
        for _ in 0..n {
            let v: usize = inbox.recv().await.unwrap();
            back.send(v).await.unwrap();
        }
    });
    for i in 0..n {
        to.send(i).await.unwrap();
        answers.recv().await.unwrap();
    }
    echo.await.unwrap();
    (cpu() - began) / (n * 2) as f64
}

async fn timers(n: usize) -> f64 {
    let began = cpu();
    let mut all = JoinSet::new();
    let mut x: u64 = 1;
    for _ in 0..n {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        all.spawn(tokio::time::sleep(Duration::from_nanos((x >> 20) % 1_000_000_000)));
    }
    while all.join_next().await.is_some() {}
    (cpu() - began) / n as f64
}

fn resident() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse::<f64>().unwrap() * 4096.0
}

async fn memory(n: usize) -> f64 {
    let before = resident();
    let mut all = JoinSet::new();
    for _ in 0..n {
        all.spawn(tokio::time::sleep(Duration::from_secs(1000)));
    }
    yield_now().await;
    (resident() - before) / n as f64
}

async fn cancel(n: usize) -> f64 {
    let mut all = JoinSet::new();
    for _ in 0..n {
        all.spawn(std::future::pending::<()>());
    }
    yield_now().await;
    let began = cpu();
    all.shutdown().await;
    (cpu() - began) / n as f64
}

fn fail(depth: usize) -> Pin<Box<dyn Future<Output = Result<i64, Box<dyn std::error::Error>>>>> {
    Box::pin(async move {
        if depth == 0 {
            return Err("no".into());
        }
        Ok(fail(depth - 1).await? + 1)
    })
}

async fn error(n: usize) -> f64 {
    let began = cpu();
    let mut caught = 0;
    for _ in 0..n {
        if fail(4).await.is_err() {
            caught += 1;
        }
    }
    std::hint::black_box(caught);
    (cpu() - began) / n as f64
}

async fn semaphore(n: usize) -> f64 {
    let free = Arc::new(Semaphore::new(10));
    let began = cpu();
    let mut all = JoinSet::new();
    for _ in 0..1000 {
        let free = free.clone();
        all.spawn(async move {
            for _ in 0..n / 1000 {
                let _held = free.acquire().await.unwrap();
                yield_now().await;
            }
        });
    }
    while all.join_next().await.is_some() {}
    (cpu() - began) / n as f64
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let n: usize = args.get(2).map_or(1_000_000, |text| text.parse().unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let result = runtime.block_on(async {
        match args[1].as_str() {
            "spawn" => spawn(n).await,
            "yield" => yields(n).await,
            "ready" => ready(n).await,
            "wake_1" => wake_at(1, n).await,
            "wake_10" => wake_at(10, n).await,
            "wake_100" => wake_at(100, n).await,
            "channel" => channel(n).await,
            "timers" => timers(n).await,
            "memory" => memory(n).await,
            "cancel" => cancel(n).await,
            "error" => error(n).await,
            "semaphore" => semaphore(n).await,
            _ => std::process::exit(2),
        }
    });
    println!("{result:.2}");
}
