struct Node { left: Option<Box<Node>>, right: Option<Box<Node>> }

fn make(depth: i64) -> Box<Node> {
    if depth == 0 { return Box::new(Node { left: None, right: None }); }
    Box::new(Node { left: Some(make(depth - 1)), right: Some(make(depth - 1)) })
}

fn check(node: &Node) -> i64 {
    match (&node.left, &node.right) {
        (Some(left), Some(right)) => 1 + check(left) + check(right),
        _ => 1,
    }
}

fn main() {
    let depth: i64 = std::env::args().nth(1).map_or(16, |a| a.parse().unwrap());
    println!("stretch {}", check(&make(depth + 1)));
    let long_lived = make(depth);
    for d in (4..=depth).step_by(4) {
        let rounds = 1i64 << (depth - d + 4);
        let total: i64 = (0..rounds).map(|_| check(&make(d))).sum();
        println!("{} trees of depth {} check {}", rounds, d, total);
    }
    println!("long lived {}", check(&long_lived));
}
