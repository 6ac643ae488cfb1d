#include "tools/cli/trace_page.h"

namespace meteor::cli {

const char* const TRACE_PAGE_HEAD = R"page(<!doctype html>
<meta charset="utf-8">
<title>Meteor trace</title>
<style>
  :root { color-scheme: light dark; --paper: #fff; --ink: #1c2330; --soft: #68707f; --line: #dfe3ea; --wait: #e6eaf1; --band: #f5f7fa; --sleep: #eef1f5; }
  @media (prefers-color-scheme: dark) { :root { --paper: #14171c; --ink: #e5e9f0; --soft: #97a0ae; --line: #2b313b; --wait: #29303a; --band: #1a1e25; --sleep: #1f242c; } }
  html, body { margin: 0; height: 100%; background: var(--paper); color: var(--ink); font: 13px/1.4 system-ui, sans-serif; }
  body { display: flex; flex-direction: column; }
  header { display: flex; gap: .4em 1.5em; align-items: baseline; padding: 10px 14px; border-bottom: 1px solid var(--line); flex-wrap: wrap; }
  h1 { font-size: 15px; margin: 0; }
  header span { color: var(--soft); }
  header .keys { margin-left: auto; }
  .legend { display: flex; gap: 1em; }
  .legend i { display: inline-block; vertical-align: -1px; margin-right: 5px; border-radius: 1px; }
  #view { flex: 1; position: relative; overflow: hidden; }
  canvas { position: absolute; inset: 0; width: 100%; height: 100%; cursor: grab; }
  #tip { position: absolute; pointer-events: none; background: var(--ink); color: var(--paper); padding: 5px 8px; border-radius: 4px; white-space: pre; display: none; font-size: 12px; z-index: 1; }
</style>
<header><h1>Meteor trace</h1><span id="facts"></span>
<span class="legend"><span><i style="width:14px;height:11px;background:#2a9fc9"></i>runs</span><span><i style="width:14px;height:9px;background:var(--wait)"></i>waits</span><span><i
style="width:2px;height:8px;background:var(--soft);vertical-align:4px"></i>woken</span><span><i style="width:2px;height:8px;background:#e0872a;vertical-align:-4px"></i>bytes moved</span><span><i
style="width:2px;height:14px;background:#c2318b;vertical-align:-3px"></i>between isolates</span></span>
<span class="keys">wheel, drag: move · ctrl+wheel, + −: zoom · 0: all</span></header>
<div id="view"><canvas></canvas><div id="tip"></div></div>
<script type="application/json" id="events">)page";

const char* const TRACE_PAGE_TAIL = R"page(</script>
<script>
"use strict";
const LABELS = 230, RULER = 24, ROW = 18;
const events = JSON.parse(document.getElementById("events").textContent).traceEvents;
const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// ---- rows: an isolate, then its tasks in the order in which they began ----
const isolates = new Map();
function isolateOf(tid) {
  if (!isolates.has(tid)) isolates.set(tid, { tid, turns: [], sleeps: [], work: [], io: [], hops: [], tasks: [], alive: new Map() });
  return isolates.get(tid);
}
function taskOf(isolate, id, name, since) {
  let task = isolate.alive.get(id);
  if (!task) {
    task = { name, since, until: null, turns: [], wakes: [], io: [] };
    isolate.alive.set(id, task);
    isolate.tasks.push(task);
  }
  return task;
}
const ordered = events.filter(e => e.ts !== undefined).map((e, i) => [e, i]);
ordered.sort((a, b) => (a[0].ts - b[0].ts) || (a[1] - b[1]));
const begin = ordered.length ? ordered[0][0].ts : 0;   // the first thing that happened is at 0
for (const [e] of ordered) e.ts -= begin;
const last = ordered.reduce((t, [e]) => Math.max(t, e.ts + (e.dur || 0)), 1);
let turnCount = 0, taskCount = 0, ioCount = 0, hopCount = 0;
for (const [e] of ordered) {
  const isolate = isolateOf(e.tid);
  if (e.cat === "task" && e.ph === "b") { isolate.alive.delete(e.id); taskOf(isolate, e.id, e.name, e.ts); taskCount++; }
  else if (e.cat === "task" && e.ph === "e") { const task = isolate.alive.get(e.id); if (task) task.until = e.ts; isolate.alive.delete(e.id); }
  else if (e.cat === "turn") { const task = taskOf(isolate, e.args.task, e.name, e.ts); const turn = { ...e, task }; task.turns.push(turn); isolate.turns.push(turn); turnCount++; }
  else if (e.cat === "sleep") isolate.sleeps.push(e);
  else if (e.cat === "work") isolate.work.push(e);
  else if (e.cat === "io") { isolate.io.push(e); ioCount++; const task = isolate.alive.get(e.args.task); if (task) task.io.push(e); }
  else if (e.cat === "wake" && e.ph === "s") { const task = isolate.alive.get(e.id); if (task) task.wakes.push(e.ts); }
  else if (e.cat === "hop") { isolate.hops.push(e); if (e.ph === "s") hopCount++; }
}
const rows = [];
for (const isolate of [...isolates.values()].sort((a, b) => a.tid - b.tid)) {
  rows.push({ isolate, label: isolate.tid === 0 ? "other threads" : "isolate " + isolate.tid });
  isolate.tasks.forEach((task, i) => rows.push({ isolate, task, label: task.name + " #" + (i + 1) }));
}
const shown = us => us < 1 ? (us * 1000).toFixed(0) + " ns" : us < 1000 ? us.toFixed(us < 10 ? 2 : 1) + " µs" : us < 1e6 ? (us / 1000).toFixed(us < 1e4 ? 2 : 1) + " ms" : (us / 1e6).toFixed(3) + " s";
const count = (n, one, many) => n + " " + (n === 1 ? one : many);
document.getElementById("facts").textContent = [shown(last), count(isolates.size - (isolates.has(0) ? 1 : 0), "isolate", "isolates"), count(rows.length - isolates.size, "task", "tasks"),
  count(turnCount, "turn", "turns"), count(ioCount, "transfer", "transfers"), count(hopCount, "hop", "hops")].join(" · ");

// ---- drawing ----
const canvas = document.querySelector("canvas"), tip = document.getElementById("tip"), pen = canvas.getContext("2d");
let from = 0, until = last, top_ = 0, width = 0, height = 0;
const colours = new Map();
function colour(name) {
  if (!colours.has(name)) {
    let hash = 0;
    for (const c of name) hash = (hash * 31 + c.charCodeAt(0)) >>> 0;
    colours.set(name, `hsl(${(hash * 137.508) % 360} 62% 48%)`);
  }
  return colours.get(name);
}
const x = t => LABELS + (t - from) / (until - from) * (width - LABELS);
const time = at => from + (at - LABELS) / (width - LABELS) * (until - from);
function firstAt(list, t) {   // the first that ends at or after t
  let low = 0, high = list.length;
  while (low < high) { const mid = low + high >> 1; list[mid].ts + (list[mid].dur || 0) < t ? low = mid + 1 : high = mid; }
  return low;
}
function bars(list, y, high, paint) {
  let drawn = -1;
  for (let i = firstAt(list, from); i < list.length && list[i].ts <= until; i++) {
    const a = Math.max(LABELS, x(list[i].ts)), b = Math.max(a + 1, x(list[i].ts + list[i].dur));
    if (b <= drawn) continue;   // under a pixel that is painted already
    pen.fillStyle = paint(list[i]);
    pen.fillRect(a, y, b - a, high);
    drawn = b;
  }
}
function marks(list, y, high, paint) {
  pen.fillStyle = paint;
  let drawn = -9;
  for (const e of list) {
    const at = x(e.ts ?? e);
    if (at < LABELS || at > width || at - drawn < 1.5) continue;
    pen.fillRect(at - 0.5, y, 1, high);
    drawn = at;
  }
}
const placeOf = turn => turn.args.line ? turn.args.at.split("/").pop() + ":" + turn.args.line : "";
function fit(text, a, b, y, ink) {   // or nothing, where there is no room
  if (b - a < 40 || pen.measureText(text).width > b - a - 10) return;
  pen.fillStyle = ink;
  pen.fillText(text, a + 5, y + ROW - 6);
}
function tellWaits(task, y) {   // what and where, in the gaps that have room for it
  pen.font = "10px system-ui, sans-serif";
  for (let i = Math.max(0, firstAt(task.turns, from) - 1); i < task.turns.length && task.turns[i].ts <= until; i++) {
    const turn = task.turns[i], next = task.turns[i + 1], end = turn.ts + turn.dur;
    fit(turn.name, Math.max(LABELS, x(turn.ts)), Math.min(width, x(end)), y, "#fff");
    const place = placeOf(turn);
    if (place) fit([turn.args["waits for"], place].filter(s => s).join(" · "), Math.max(LABELS, x(end)), Math.min(width, x(next ? next.ts : task.until ?? last)), y, style("--soft"));
  }
}
function drawRow(row, y) {
  if (row.task) {
    const a = Math.max(LABELS, x(row.task.since)), b = Math.min(width, x(row.task.until ?? last));
    pen.fillStyle = style("--wait");
    if (b > a) pen.fillRect(a, y + 4, Math.max(1, b - a), ROW - 8);
    bars(row.task.turns, y + 3, ROW - 6, turn => colour(turn.name));
    tellWaits(row.task, y);
    marks(row.task.wakes, y + 1, 3, style("--soft"));
    marks(row.task.io, y + ROW - 4, 3, "#e0872a");
  } else {
    pen.fillStyle = style("--band");
    pen.fillRect(0, y, width, ROW);
    bars(row.isolate.work, y + 6, ROW - 12, () => "#8a94a6");
    bars(row.isolate.sleeps, y + 3, ROW - 6, () => style("--sleep"));
    bars(row.isolate.turns, y + 3, ROW - 6, turn => colour(turn.name));
    marks(row.isolate.hops, y, ROW, "#c2318b");
  }
  pen.fillStyle = style("--paper");
  if (row.task) pen.fillRect(0, y, LABELS - 1, ROW); else { pen.fillStyle = style("--band"); pen.fillRect(0, y, LABELS - 1, ROW); }
  pen.fillStyle = row.task ? style("--ink") : style("--soft");
  pen.font = (row.task ? "" : "600 ") + "12px system-ui, sans-serif";
  pen.fillText(row.label, row.task ? 26 : 10, y + ROW - 5, LABELS - 34);
}
function drawRuler() {
  pen.fillStyle = style("--paper");
  pen.fillRect(0, 0, width, RULER);
  const step0 = (until - from) / Math.max(1, (width - LABELS) / 110), power = 10 ** Math.floor(Math.log10(step0));
  const step = [1, 2, 5, 10].map(k => k * power).find(s => s >= step0);
  pen.font = "11px system-ui, sans-serif";
  for (let t = Math.ceil(from / step) * step; t <= until; t += step) {
    pen.fillStyle = style("--line");
    pen.fillRect(x(t), RULER - 6, 1, height);
    pen.fillStyle = style("--soft");
    if (x(t) + 4 + pen.measureText(shown(t)).width < width) pen.fillText(shown(t), x(t) + 4, RULER - 8);
  }
  pen.fillStyle = style("--line");
  pen.fillRect(0, RULER - 1, width, 1);
  pen.fillRect(LABELS - 1, 0, 1, height);
}
function draw() {
  const scale = devicePixelRatio || 1;
  width = canvas.clientWidth; height = canvas.clientHeight;
  canvas.width = width * scale; canvas.height = height * scale;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.fillStyle = style("--paper");
  pen.fillRect(0, 0, width, height);
  top_ = Math.max(0, Math.min(top_, rows.length * ROW - (height - RULER)));
  drawRuler();
  pen.save();
  pen.beginPath(); pen.rect(0, RULER, width, height - RULER); pen.clip();
  for (let i = Math.floor(top_ / ROW); i < rows.length && RULER + i * ROW - top_ < height; i++) drawRow(rows[i], RULER + i * ROW - top_);
  pen.restore();
}

// ---- looking around ----
function zoom(factor, at) {
  const t = time(at), shortest = 0.05;
  const size = Math.min(last, Math.max(shortest, (until - from) * factor));
  from = Math.max(0, Math.min(last - size, t - (t - from) / (until - from) * size));
  until = from + size;
  draw();
}
function move(us) {
  const size = until - from;
  from = Math.max(0, Math.min(last - size, from + us));
  until = from + size;
}
canvas.addEventListener("wheel", e => {
  e.preventDefault();
  if (e.ctrlKey || e.metaKey || e.offsetY < RULER) return zoom(e.deltaY > 0 ? 1.25 : 0.8, Math.max(LABELS, e.offsetX));
  move(e.deltaX / (width - LABELS) * (until - from));
  top_ += e.deltaY;
  draw();
}, { passive: false });
let dragged = null;
canvas.addEventListener("pointerdown", e => { dragged = [e.offsetX, e.offsetY]; canvas.setPointerCapture(e.pointerId); });
canvas.addEventListener("pointerup", () => dragged = null);
canvas.addEventListener("pointermove", e => {
  if (dragged) {
    move((dragged[0] - e.offsetX) / (width - LABELS) * (until - from));
    top_ += dragged[1] - e.offsetY;
    dragged = [e.offsetX, e.offsetY];
    return draw();
  }
  const row = rows[Math.floor((e.offsetY - RULER + top_) / ROW)], t = time(e.offsetX);
  const text = row && e.offsetX >= LABELS && e.offsetY >= RULER ? tellOf(row, t) : "";
  tip.style.display = text ? "block" : "none";
  tip.textContent = text;
  tip.style.left = Math.min(e.offsetX + 14, width - tip.offsetWidth - 8) + "px";
  tip.style.top = Math.min(e.offsetY + 14, height - tip.offsetHeight - 8) + "px";
});
canvas.addEventListener("pointerleave", () => tip.style.display = "none");
addEventListener("keydown", e => {
  if (e.key === "+" || e.key === "=") zoom(0.6, (width + LABELS) / 2);
  else if (e.key === "-") zoom(1.6, (width + LABELS) / 2);
  else if (e.key === "0") { from = 0; until = last; top_ = 0; draw(); }
});
function tellOf(row, t) {
  const near = (until - from) / (width - LABELS) * 3;
  const turns = row.task ? row.task.turns : row.isolate.turns;
  const turn = turns[firstAt(turns, t - near)];
  if (turn && turn.ts - near <= t) {
    const lines = [turn.name, "ran " + shown(turn.dur) + " from " + shown(turn.ts)];
    if (turn.args.line) lines.push("then waited at " + placeOf(turn) + (turn.args["waits for"] ? " for " + turn.args["waits for"] : ""));
    else lines.push("then ended");
    return lines.join("\n");
  }
  const before = turns[firstAt(turns, t) - 1];
  const work = row.isolate.work[firstAt(row.isolate.work, t)];
  if (!row.task && work && work.ts <= t) return row.label + "\nworks for " + shown(work.dur) + " from " + shown(work.ts);
  if (!row.task) return before ? "asleep or idle" : "";
  if (t < row.task.since || t > (row.task.until ?? last)) return "";
  if (!before) return row.task.name + "\nhas not begun";
  return row.task.name + "\nwaits" + (before.args.line ? " at " + placeOf(before) + (before.args["waits for"] ? " for " + before.args["waits for"] : "") : "");
}
addEventListener("resize", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
draw();
document.title = "Meteor trace: " + document.getElementById("facts").textContent;
</script>
)page";

}  // namespace meteor::cli
