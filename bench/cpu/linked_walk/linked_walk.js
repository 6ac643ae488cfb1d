class Node {
  constructor(value, next) {
    this.value = value;
    this.next = next;
  }
}

class Chain {
  head = null;
  size = 0;
  push(value) {
    this.head = new Node(value, this.head);
    this.size++;
  }
  total() {
    let sum = 0;
    for (let node = this.head; node !== null; node = node.next) sum += node.value;
    return sum;
  }
  reverse() {
    let before = null, node = this.head;
    while (node !== null) {
      const after = node.next;
      node.next = before;
      before = node;
      node = after;
    }
    this.head = before;
  }
  removeMultiples(of) {
    let node = this.head;
    while (node !== null) {
      let after = node.next;
      while (after !== null && after.value % of === 0) {
        after = after.next;
        this.size--;
      }
      node.next = after;
      node = after;
    }
  }
}

const n = process.argv.length > 2 ? Number(process.argv[2]) : 200000;
const chain = new Chain();
for (let i = 0; i < n; i++) chain.push((i * 7) % 1000 + 1);
let sum = 0;
for (let round = 0; round < 60; round++) {
  sum += chain.total();
  chain.reverse();
}
chain.removeMultiples(3);
console.log(sum, chain.size, chain.total());
