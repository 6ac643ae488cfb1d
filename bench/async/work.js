// The works of bench/async on promises.
const fs = require("fs");

let began;
const start = () => { began = process.cpuUsage(); };
const per = n => { const used = process.cpuUsage(began); return (used.user + used.system) * 1000 / n; };
const turn = () => new Promise(resolve => setImmediate(resolve));
const plusOne = async x => x + 1;

const works = {
  async spawn(n) {
    start();
    const all = [];
    for (let i = 0; i < n; i++) all.push(plusOne(i));
    await Promise.all(all);
    return per(n);
  },
  async yield(n) {
    start();
    const turns = async () => { for (let i = 0; i < n / 1000; i++) await null; };
    await Promise.all(Array.from({ length: 1000 }, turns));
    return per(n);
  },
  async ready(n) {
    start();
    let x = 0;
    for (let i = 0; i < n; i++) x = await plusOne(x);
    return per(n);
  },
  async timers(n) {
    start();
    const all = [];
    for (let i = 0; i < n; i++) all.push(new Promise(resolve => setTimeout(resolve, Math.random() * 1000)));
    await Promise.all(all);
    return per(n);
  },
  async memory(n) {
    const before = process.memoryUsage().rss;
    const all = [];
    const nap = async () => { await new Promise(resolve => setTimeout(resolve, 1000000)); };
    for (let i = 0; i < n; i++) all.push(nap());
    await turn();
    return (process.memoryUsage().rss - before) / n;
  },
  async error(n) {
    const fail = async depth => { if (depth === 0) throw new Error("no"); return await fail(depth - 1); };
    start();
    let caught = 0;
    for (let i = 0; i < n; i++) { try { await fail(4); } catch { caught++; } }
    return per(n);
  },
};

const work = works[process.argv[2]];
if (!work) process.exit(2);
work(Number(process.argv[3] || 1000000)).then(result => { console.log(result.toFixed(2)); process.exit(0); });
