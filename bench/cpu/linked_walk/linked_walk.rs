struct Node {
    value: i64,
    next: Option<Box<Node>>,
}

struct Chain {
    head: Option<Box<Node>>,
    size: i64,
}

impl Chain {
    fn push(&mut self, value: i64) {
        self.head = Some(Box::new(Node { value, next: self.head.take() }));
        self.size += 1;
    }
    fn total(&self) -> i64 {
        let mut sum = 0;
        let mut node = &self.head;
        while let Some(n) = node {
            sum += n.value;
            node = &n.next;
        }
        sum
    }
    fn reverse(&mut self) {
        let mut before = None;
        let mut node = self.head.take();
        while let Some(mut n) = node {
            node = n.next.take();
            n.next = before;
            before = Some(n);
        }
        self.head = before;
    }
    fn remove_multiples(&mut self, of: i64) {
        let mut node = self.head.as_deref_mut();
        while let Some(n) = node {
            while let Some(mut after) = n.next.take_if(|after| after.value % of == 0) {
                n.next = after.next.take();
                self.size -= 1;
            }
            node = n.next.as_deref_mut();
        }
    }
}

impl Drop for Chain {
    fn drop(&mut self) {
        let mut node = self.head.take();
        while let Some(mut n) = node { node = n.next.take(); }
    }
}

fn main() {
    let n: i64 = std::env::args().nth(1).map_or(200000, |a| a.parse().unwrap());
    let mut chain = Chain { head: None, size: 0 };
    for i in 0..n { chain.push(i * 7 % 1000 + 1); }
    let mut sum = 0;
    for _ in 0..60 {
        sum += chain.total();
        chain.reverse();
    }
    chain.remove_multiples(3);
    println!("{} {} {}", sum, chain.size, chain.total());
}
