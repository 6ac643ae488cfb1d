fn fannkuch(n: usize) -> (i64, i64) {
    let mut perm: Vec<i64> = (0..n as i64).collect();
    let mut perm1: Vec<i64> = (0..n as i64).collect();
    let mut count = vec![0i64; n];
    let (mut checksum, mut max_flips, mut r, mut number) = (0i64, 0i64, n, 0i64);
    loop {
        while r != 1 {
            count[r - 1] = r as i64;
            r -= 1;
        }
        for i in 0..n { perm[i] = perm1[i]; }
        let mut flips = 0;
        let mut k = perm[0];
        while k != 0 {
            let (mut i, mut j) = (0usize, k as usize);
            while i < j {
                perm.swap(i, j);
                i += 1;
                j -= 1;
            }
            flips += 1;
            k = perm[0];
        }
        if flips > max_flips { max_flips = flips; }
        checksum += if number % 2 == 0 { flips } else { -flips };
        loop {
            if r == n { return (checksum, max_flips); }
            let first = perm1[0];
            for i in 0..r { perm1[i] = perm1[i + 1]; }
            perm1[r] = first;
            count[r] -= 1;
            if count[r] > 0 { break; }
            r += 1;
        }
        number += 1;
    }
}

fn main() {
    let n: usize = std::env::args().nth(1).map_or(10, |a| a.parse().unwrap());
    let (checksum, flips) = fannkuch(n);
    println!("{}\nPfannkuchen({}) = {}", checksum, n, flips);
}
