use std::rc::Rc;

struct Person {
    name: String,
    age: i64,
    score: f64,
}

fn main() {
    let n: usize = std::env::args().nth(1).map_or(500000, |a| a.parse().unwrap());
    let mut people: Vec<Rc<Person>> = Vec::new();
    let mut seed: i64 = 7;
    for _ in 0..n {
        seed = (seed * 1103515245 + 12345) % 2147483648;
        people.push(Rc::new(Person { name: format!("p{}", seed % 100003), age: seed / 1000 % 90, score: (seed % 1000) as f64 / 8.0 }));
    }
    let mut by_age = people.clone();
    by_age.sort_by_key(|p| p.age);
    let mut by_name = people.clone();
    by_name.sort_by(|a, b| a.name.cmp(&b.name));
    people.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.age.cmp(&b.age)));
    let mut check: i64 = 0;
    for i in (0..n).step_by(1000) {
        check = (check * 31 + by_age[i].age + by_name[i].name.len() as i64 + people[i].score as i64) % 1000000007;
    }
    println!("{} {} {:.3} {}", by_age[0].age, by_name[0].name, people[0].score, check);
}
