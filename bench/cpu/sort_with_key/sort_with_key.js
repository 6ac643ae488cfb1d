const n = process.argv.length > 2 ? Number(process.argv[2]) : 500000;
const people = [];
let seed = 7;
for (let i = 0; i < n; i++) {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
  people.push({name: `p${seed % 100003}`, age: Math.floor(seed / 1000) % 90, score: (seed % 1000) / 8.0});
}
const byAge = [...people].sort((a, b) => a.age - b.age);
const byName = [...people].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
people.sort((a, b) => b.score - a.score || a.age - b.age);
let check = 0;
for (let i = 0; i < n; i += 1000) check = (check * 31 + byAge[i].age + byName[i].name.length + Math.trunc(people[i].score)) % 1000000007;
console.log(byAge[0].age, byName[0].name, people[0].score, check);
