package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

type Json any
type Null struct{}

type Parser struct {
	text string
	at   int
}

func (p *Parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *Parser) skip() {
	for p.at < len(p.text) && p.text[p.at] <= ' ' {
		p.at++
	}
}

func (p *Parser) expect(c byte) {
	p.skip()
	if p.peek() != c {
		panic("unexpected text")
	}
	p.at++
}

func (p *Parser) value() Json {
	p.skip()
	switch p.peek() {
	case '{':
		return p.object()
	case '[':
		return p.items()
	case '"':
		return p.str()
	case 't':
		p.at += 4
		return true
	case 'f':
		p.at += 5
		return false
	case 'n':
		p.at += 4
		return Null{}
	}
	return p.number()
}

func (p *Parser) number() int {
	negative := p.peek() == '-'
	if negative {
		p.at++
	}
	if p.peek() < '0' || p.peek() > '9' {
		panic("expected a value")
	}
	n := 0
	for p.peek() >= '0' && p.peek() <= '9' {
		n = n*10 + int(p.peek()-'0')
		p.at++
	}
	if negative {
		return -n
	}
	return n
}

func (p *Parser) str() string {
	p.expect('"')
	start := p.at
	for p.peek() != '"' {
		if p.at >= len(p.text) {
			panic("a text without end")
		}
		p.at++
	}
	p.at++
	return strings.Clone(p.text[start : p.at-1])
}

func (p *Parser) items() Json {
	p.expect('[')
	found := []Json{}
	p.skip()
	if p.peek() == ']' {
		p.at++
		return found
	}
	for {
		found = append(found, p.value())
		p.skip()
		if p.peek() != ',' {
			break
		}
		p.at++
	}
	p.expect(']')
	return found
}

func (p *Parser) object() Json {
	p.expect('{')
	fields := map[string]Json{}
	p.skip()
	if p.peek() == '}' {
		p.at++
		return fields
	}
	for {
		p.skip()
		key := p.str()
		p.expect(':')
		fields[key] = p.value()
		p.skip()
		if p.peek() != ',' {
			break
		}
		p.at++
	}
	p.expect('}')
	return fields
}

func total(json Json) int {
	switch j := json.(type) {
	case bool:
		if j {
			return 1
		}
		return 2
	case int:
		return j
	case string:
		return len(j)
	case []Json:
		sum := 0
		for _, item := range j {
			sum += total(item)
		}
		return sum
	case map[string]Json:
		sum := 0
		for key, value := range j {
			sum += len(key) + total(value)
		}
		return sum
	}
	return 0
}

func makeText(n int) string {
	parts := []string{}
	for i := 0; i < n; i++ {
		id := strconv.Itoa(i)
		parts = append(parts, `{"id": `+id+`, "name": "person number `+id+`", "tags": ["a`+strconv.Itoa(i%10)+`", "bb", "a longer tag with spaces"], "on": `+strconv.FormatBool(i%2 == 0)+`, "nested": {"x": `+strconv.Itoa(-i)+`, "y": null}}`)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func main() {
	n := 40000
	if len(os.Args) > 1 {
		n, _ = strconv.Atoi(os.Args[1])
	}
	text := makeText(n)
	sum := 0
	for i := 0; i < 5; i++ {
		sum += total((&Parser{text: text}).value())
	}
	fmt.Println(len(text), sum)
}
