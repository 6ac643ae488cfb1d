// The functions of frames.met as Rust's async fn; prints the size of each future.
use std::future::Future;
use std::mem::size_of_val;
use std::pin::Pin;
use std::task::{Context, Poll};

struct YieldNow(bool);
impl Future for YieldNow {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.0 {
            return Poll::Ready(());
        }
        self.0 = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

async fn io() {
    YieldNow(false).await
}

#[inline(never)]
fn use_bytes(a: &[i64; 4]) -> i64 {
    a[0] + a[3]
}

async fn f_one_await() {
    io().await
}
async fn f_argument_used_before(x: i64) -> i64 {
    let y = x + 1;
    io().await;
    y
}
async fn f_argument_used_after(x: i64) -> i64 {
    io().await;
    x + 1
}
async fn f_two_locals_at_once(x: i64) -> i64 {
    let a = x * 2;
    let b = x * 3;
    io().await;
    a + b
}
async fn f_disjoint_locals(x: i64) -> i64 {
    let a = [x; 4];
    io().await;
    let n = use_bytes(&a);
    let b = [n; 4];
    io().await;
    use_bytes(&b)
}
async fn f_disjoint_branches(x: i64) -> i64 {
    if x > 0 {
        let a = [x; 4];
        io().await;
        return use_bytes(&a);
    }
    let b = [x; 4];
    io().await;
    use_bytes(&b)
}
async fn f_local_dead_at_await(x: i64) -> i64 {
    let a = [x; 4];
    let n = use_bytes(&a);
    io().await;
    n
}
async fn f_loop(n: i64) -> i64 {
    let mut sum = 0;
    for i in 0..n {
        io().await;
        sum += i;
    }
    sum
}
async fn f_calls_one(x: i64) -> i64 {
    f_argument_used_after(x).await + 1
}
async fn f_calls_three(x: i64) -> i64 {
    let a = f_argument_used_after(x).await;
    let b = f_disjoint_locals(a).await;
    let c = f_two_locals_at_once(b).await;
    a + b + c
}
async fn f_wrapped(x: i64) -> i64 {
    f_disjoint_locals(x).await + 1
}
async fn f_wrapped_twice(x: i64) -> i64 {
    f_wrapped(x).await + 1
}

fn main() {
    macro_rules! show {
        ($($f:ident $args:tt),*) => { $(println!("{} {}", stringify!($f), size_of_val(&$f $args));)* };
    }
    show!(f_one_await(), f_argument_used_before(1), f_argument_used_after(1), f_two_locals_at_once(1), f_disjoint_locals(1), f_disjoint_branches(1),
          f_local_dead_at_await(1), f_loop(1), f_calls_one(1), f_calls_three(1), f_wrapped(1), f_wrapped_twice(1));
}
