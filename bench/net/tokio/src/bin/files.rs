// files FOLDER COUNT TIMES: reads all of them at the same time, so many times.
use std::sync::Arc;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = Arc::new(args[1].clone());
    let (count, times): (usize, usize) = (args[2].parse().unwrap(), args[3].parse().unwrap());
    tokio::runtime::Builder::new_multi_thread().build().unwrap().block_on(async {
        for _ in 0..times {
            let tasks: Vec<_> = (0..count)
                .map(|i| {
                    let folder = folder.clone();
                    tokio::spawn(async move { tokio::fs::read(format!("{folder}/{i}")).await.unwrap().len() })
                })
                .collect();
            let mut total = 0;
            for task in tasks {
                total += task.await.unwrap();
            }
            assert_eq!(total, count * 1024);
        }
    });
}
