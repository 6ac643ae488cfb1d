function fannkuch(n) {
  const perm = Array.from({length: n}, (_, i) => i), perm1 = Array.from({length: n}, (_, i) => i), count = new Array(n).fill(0);
  let checksum = 0, maxFlips = 0, r = n, number = 0;
  while (true) {
    for (; r !== 1; r--) count[r - 1] = r;
    for (let i = 0; i < n; i++) perm[i] = perm1[i];
    let flips = 0;
    for (let k = perm[0]; k !== 0; k = perm[0]) {
      for (let i = 0, j = k; i < j; i++, j--) {
        const t = perm[i];
        perm[i] = perm[j];
        perm[j] = t;
      }
      flips++;
    }
    if (flips > maxFlips) maxFlips = flips;
    checksum += number % 2 === 0 ? flips : -flips;
    while (true) {
      if (r === n) return [checksum, maxFlips];
      const first = perm1[0];
      for (let i = 0; i < r; i++) perm1[i] = perm1[i + 1];
      perm1[r] = first;
      if (--count[r] > 0) break;
      r++;
    }
    number++;
  }
}

const n = process.argv.length > 2 ? Number(process.argv[2]) : 10;
const [checksum, flips] = fannkuch(n);
console.log(`${checksum}\nPfannkuchen(${n}) = ${flips}`);
