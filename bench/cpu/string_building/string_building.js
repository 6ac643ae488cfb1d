const n = process.argv.length > 2 ? Number(process.argv[2]) : 3000000;
let s = "";
for (let i = 0; i < n; i++) {
  s += "ab";
  if (i % 3 === 0) s += "-";
}
const parts = [];
for (let i = 0; i < Math.floor(n / 3); i++) parts.push(`${i}:${(i * 7) % 13}`);
const joined = parts.join(",");
let dashes = 0;
for (const c of s) if (c === "-") dashes++;
console.log(s.length, joined.length, dashes, joined.split(":12").length - 1, s.replaceAll("-", "+-").length);
