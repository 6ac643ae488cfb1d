import sys


class Parser:
    def __init__(self, text):
        self.text = text
        self.at = 0

    def peek(self):
        return self.text[self.at] if self.at < len(self.text) else 0

    def skip(self):
        while self.at < len(self.text) and self.text[self.at] <= 32:
            self.at += 1

    def expect(self, c):
        self.skip()
        if self.peek() != c:
            raise ValueError(f"expected {c} at {self.at}")
        self.at += 1

    def value(self):
        self.skip()
        c = self.peek()
        if c == 123:
            return self.object()
        if c == 91:
            return self.items()
        if c == 34:
            return self.string()
        if c == 116:
            self.at += 4
            return True
        if c == 102:
            self.at += 5
            return False
        if c == 110:
            self.at += 4
            return None
        return self.number()

    def number(self):
        negative = self.peek() == 45
        if negative:
            self.at += 1
        if self.peek() < 48 or self.peek() > 57:
            raise ValueError(f"expected a value at {self.at}")
        n = 0
        while 48 <= self.peek() <= 57:
            n = n * 10 + self.peek() - 48
            self.at += 1
        return -n if negative else n

    def string(self):
        self.expect(34)
        start = self.at
        while self.peek() != 34:
            if self.at >= len(self.text):
                raise ValueError("a text without end")
            self.at += 1
        self.at += 1
        return self.text[start:self.at - 1].decode()

    def items(self):
        self.expect(91)
        found = []
        self.skip()
        if self.peek() == 93:
            self.at += 1
            return found
        while True:
            found.append(self.value())
            self.skip()
            if self.peek() != 44:
                break
            self.at += 1
        self.expect(93)
        return found

    def object(self):
        self.expect(123)
        fields = {}
        self.skip()
        if self.peek() == 125:
            self.at += 1
            return fields
        while True:
            self.skip()
            key = self.string()
            self.expect(58)
            fields[key] = self.value()
            self.skip()
            if self.peek() != 44:
                break
            self.at += 1
        self.expect(125)
        return fields


def total(json):
    if json is None:
        return 0
    if json is True:
        return 1
    if json is False:
        return 2
    if isinstance(json, int):
        return json
    if isinstance(json, str):
        return len(json)
    if isinstance(json, list):
        return sum(total(item) for item in json)
    return sum(len(key) + total(value) for key, value in json.items())


def make_text(n):
    parts = []
    for i in range(n):
        on = "true" if i % 2 == 0 else "false"
        parts.append(f'{{"id": {i}, "name": "person number {i}", "tags": ["a{i % 10}", "bb", "a longer tag with spaces"], "on": {on}, "nested": {{"x": {-i}, "y": null}}}}')
    return "[" + ", ".join(parts) + "]"


text = make_text(int(sys.argv[1]) if len(sys.argv) > 1 else 40000).encode()
result = 0
for _ in range(5):
    result += total(Parser(text).value())
print(len(text), result)
