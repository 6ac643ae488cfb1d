const words = process.argv.length > 2 ? Number(process.argv[2]) : 2000000;

function makeText(words) {
  const parts = [];
  let seed = 42n;
  const next = () => {
    seed = (seed * 1103515245n + 12345n) % 2147483648n;
    return Number((seed / 65536n) % 300n);
  };
  for (let i = 0; i < words; i++) {
    const a = next(), b = next();
    parts.push(`word${(a * b) % 20011}`);
  }
  return parts.join(" ");
}

const counts = new Map();
for (const word of makeText(words).split(" ")) counts.set(word, (counts.get(word) ?? 0) + 1);
const ranked = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
console.log(counts.size);
for (const [word, count] of ranked.slice(0, 5)) console.log(word, count);
