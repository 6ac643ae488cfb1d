class Parser {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }
  peek() { return this.at < this.text.length ? this.text[this.at] : 0; }
  skip() { while (this.at < this.text.length && this.text[this.at] <= 32) this.at++; }
  expect(c) {
    this.skip();
    if (this.peek() !== c) throw new Error(`expected ${c} at ${this.at}`);
    this.at++;
  }
  value() {
    this.skip();
    switch (this.peek()) {
      case 123: return this.object();
      case 91: return this.items();
      case 34: return this.string();
      case 116: this.at += 4; return true;
      case 102: this.at += 5; return false;
      case 110: this.at += 4; return null;
      default: return this.number();
    }
  }
  number() {
    const negative = this.peek() === 45;
    if (negative) this.at++;
    if (this.peek() < 48 || this.peek() > 57) throw new Error(`expected a value at ${this.at}`);
    let n = 0;
    while (this.peek() >= 48 && this.peek() <= 57) {
      n = n * 10 + this.peek() - 48;
      this.at++;
    }
    return negative ? -n : n;
  }
  string() {
    this.expect(34);
    const start = this.at;
    while (this.peek() !== 34) {
      if (this.at >= this.text.length) throw new Error("a text without end");
      this.at++;
    }
    this.at++;
    return this.text.toString("utf8", start, this.at - 1);
  }
  items() {
    this.expect(91);
    const found = [];
    this.skip();
    if (this.peek() === 93) {
      this.at++;
      return found;
    }
    while (true) {
      found.push(this.value());
      this.skip();
      if (this.peek() !== 44) break;
      this.at++;
    }
    this.expect(93);
    return found;
  }
  object() {
    this.expect(123);
    const fields = new Map();
    this.skip();
    if (this.peek() === 125) {
      this.at++;
      return fields;
    }
    while (true) {
      this.skip();
      const key = this.string();
      this.expect(58);
      fields.set(key, this.value());
      this.skip();
      if (this.peek() !== 44) break;
      this.at++;
    }
    this.expect(125);
    return fields;
  }
}

function total(json) {
  if (json === null) return 0;
  if (typeof json === "boolean") return json ? 1 : 2;
  if (typeof json === "number") return json;
  if (typeof json === "string") return json.length;
  let sum = 0;
  if (Array.isArray(json)) for (const item of json) sum += total(item);
  else for (const [key, value] of json) sum += key.length + total(value);
  return sum;
}

function makeText(n) {
  const parts = [];
  for (let i = 0; i < n; i++) {
    parts.push(`{"id": ${i}, "name": "person number ${i}", "tags": ["a${i % 10}", "bb", "a longer tag with spaces"], "on": ${i % 2 === 0}, "nested": {"x": ${0 - i}, "y": null}}`);
  }
  return "[" + parts.join(", ") + "]";
}

const text = Buffer.from(makeText(process.argv.length > 2 ? Number(process.argv[2]) : 40000));
let sum = 0;
for (let i = 0; i < 5; i++) sum += total(new Parser(text).value());
console.log(text.length, sum);
