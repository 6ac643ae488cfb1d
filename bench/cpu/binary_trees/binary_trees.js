const depth = process.argv.length > 2 ? Number(process.argv[2]) : 16;
const make = (d) => (d === 0 ? { left: null, right: null } : { left: make(d - 1), right: make(d - 1) });
const check = (node) => (node.left === null || node.right === null ? 1 : 1 + check(node.left) + check(node.right));

console.log("stretch", check(make(depth + 1)));
const longLived = make(depth);
for (let d = 4; d <= depth; d += 4) {
  const rounds = 1 << (depth - d + 4);
  let total = 0;
  for (let i = 0; i < rounds; i++) total += check(make(d));
  console.log(rounds, "trees of depth", d, "check", total);
}
console.log("long lived", check(longLived));
