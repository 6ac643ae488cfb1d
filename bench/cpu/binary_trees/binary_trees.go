package main

import (
	"fmt"
	"os"
	"strconv"
)

type Node struct{ left, right *Node }

func makeTree(depth int) *Node {
	if depth == 0 {
		return &Node{}
	}
	return &Node{makeTree(depth - 1), makeTree(depth - 1)}
}

func check(node *Node) int {
	if node.left == nil || node.right == nil {
		return 1
	}
	return 1 + check(node.left) + check(node.right)
}

func main() {
	depth := 16
	if len(os.Args) > 1 {
		depth, _ = strconv.Atoi(os.Args[1])
	}
	fmt.Println("stretch", check(makeTree(depth+1)))
	longLived := makeTree(depth)
	for d := 4; d <= depth; d += 4 {
		rounds := 1 << (depth - d + 4)
		total := 0
		for i := 0; i < rounds; i++ {
			total += check(makeTree(d))
		}
		fmt.Println(rounds, "trees of depth", d, "check", total)
	}
	fmt.Println("long lived", check(longLived))
}
