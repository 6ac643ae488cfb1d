package main

import (
	"fmt"
	"os"
	"strconv"
)

type Node struct {
	value int
	next  *Node
}

type Chain struct {
	head *Node
	size int
}

func (c *Chain) push(value int) {
	c.head = &Node{value, c.head}
	c.size++
}

func (c *Chain) total() int {
	sum := 0
	for node := c.head; node != nil; node = node.next {
		sum += node.value
	}
	return sum
}

func (c *Chain) reverse() {
	var before *Node
	node := c.head
	for node != nil {
		after := node.next
		node.next = before
		before = node
		node = after
	}
	c.head = before
}

func (c *Chain) removeMultiples(of int) {
	node := c.head
	for node != nil {
		after := node.next
		for after != nil && after.value%of == 0 {
			after = after.next
			c.size--
		}
		node.next = after
		node = after
	}
}

func main() {
	n := 200000
	if len(os.Args) > 1 {
		n, _ = strconv.Atoi(os.Args[1])
	}
	chain := &Chain{}
	for i := 0; i < n; i++ {
		chain.push(i*7%1000 + 1)
	}
	sum := 0
	for round := 0; round < 60; round++ {
		sum += chain.total()
		chain.reverse()
	}
	chain.removeMultiples(3)
	fmt.Println(sum, chain.size, chain.total())
}
