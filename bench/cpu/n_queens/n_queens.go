package main

import (
	"fmt"
	"os"
	"strconv"
)

type Board struct {
	n                 int
	columns, up, down []bool
}

func (b *Board) solve(row int) int {
	if row == b.n {
		return 1
	}
	found := 0
	for c := 0; c < b.n; c++ {
		if b.columns[c] || b.up[row+c] || b.down[row-c+b.n] {
			continue
		}
		b.columns[c], b.up[row+c], b.down[row-c+b.n] = true, true, true
		found += b.solve(row + 1)
		b.columns[c], b.up[row+c], b.down[row-c+b.n] = false, false, false
	}
	return found
}

func main() {
	n := 12
	if len(os.Args) > 1 {
		n, _ = strconv.Atoi(os.Args[1])
	}
	b := &Board{n, make([]bool, n), make([]bool, 2*n), make([]bool, 2*n+1)}
	fmt.Println(b.solve(0))
}
