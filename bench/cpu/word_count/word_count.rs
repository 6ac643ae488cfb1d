use std::collections::HashMap;

fn make_text(words: i64) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut seed: i64 = 42;
    for _ in 0..words {
        seed = (seed * 1103515245 + 12345) % 2147483648;
        let a = seed / 65536 % 300;
        seed = (seed * 1103515245 + 12345) % 2147483648;
        let b = seed / 65536 % 300;
        parts.push(format!("word{}", a * b % 20011));
    }
    parts.join(" ")
}

fn main() {
    let text = make_text(std::env::args().nth(1).map_or(2000000, |a| a.parse().unwrap()));
    let words: Vec<String> = text.split(' ').map(|w| w.to_string()).collect();
    let mut counts: HashMap<String, i64> = HashMap::new();
    for word in words { *counts.entry(word).or_insert(0) += 1; }
    let mut ranked: Vec<(&String, &i64)> = counts.iter().collect();
    ranked.sort_by_key(|p| (-p.1, p.0));
    println!("{}", counts.len());
    for (word, count) in ranked.iter().take(5) { println!("{} {}", word, count); }
}
