fn main() {
    let n: i64 = std::env::args().nth(1).map_or(3000000, |a| a.parse().unwrap());
    let mut s = String::new();
    for i in 0..n {
        s += "ab";
        if i % 3 == 0 { s += "-"; }
    }
    let mut parts: Vec<String> = Vec::new();
    for i in 0..n / 3 { parts.push(format!("{}:{}", i, i * 7 % 13)); }
    let joined = parts.join(",");
    let mut dashes = 0;
    for c in s.chars() { if c == '-' { dashes += 1; } }
    println!("{} {} {} {} {}", s.len(), joined.len(), dashes, joined.matches(":12").count(), s.replace("-", "+-").len());
}
