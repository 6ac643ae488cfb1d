import sys


class Node:
    def __init__(self, value, next):
        self.value = value
        self.next = next


class Chain:
    def __init__(self):
        self.head = None
        self.size = 0

    def push(self, value):
        self.head = Node(value, self.head)
        self.size += 1

    def total(self):
        sum = 0
        node = self.head
        while node is not None:
            sum += node.value
            node = node.next
        return sum

    def reverse(self):
        before = None
        node = self.head
        while node is not None:
            after = node.next
            node.next = before
            before = node
            node = after
        self.head = before

    def remove_multiples(self, of):
        node = self.head
        while node is not None:
            after = node.next
            while after is not None and after.value % of == 0:
                after = after.next
                self.size -= 1
            node.next = after
            node = after


n = int(sys.argv[1]) if len(sys.argv) > 1 else 200000
chain = Chain()
for i in range(n):
    chain.push(i * 7 % 1000 + 1)
sum = 0
for round in range(60):
    sum += chain.total()
    chain.reverse()
chain.remove_multiples(3)
print(sum, chain.size, chain.total())
while chain.head is not None:   # a chain that dies at once would need as many stack frames
    chain.head = chain.head.next
