package main

import (
	"fmt"
	"os"
	"strconv"
)

func makeMatrix(n int, seed float64) [][]float64 {
	scale := seed / float64(n) / float64(n)
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
		for j := range m[i] {
			m[i][j] = scale * float64(i-j) * float64(i+j)
		}
	}
	return m
}

func multiply(a, b [][]float64) [][]float64 {
	out := make([][]float64, len(a))
	for i := range out {
		row := make([]float64, len(b[0]))
		for k := range b {
			x, other := a[i][k], b[k]
			for j := range other {
				row[j] += x * other[j]
			}
		}
		out[i] = row
	}
	return out
}

func main() {
	n := 600
	if len(os.Args) > 1 {
		n, _ = strconv.Atoi(os.Args[1])
	}
	c := multiply(makeMatrix(n, 1), makeMatrix(n, 2))
	fmt.Printf("%.9f %.9f\n", c[n/2][n/2], c[1][n-1])
}
