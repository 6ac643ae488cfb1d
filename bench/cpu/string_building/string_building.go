package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	n := 3000000
	if len(os.Args) > 1 {
		n, _ = strconv.Atoi(os.Args[1])
	}
	var b strings.Builder
	for i := 0; i < n; i++ {
		b.WriteString("ab")
		if i%3 == 0 {
			b.WriteString("-")
		}
	}
	s := b.String()
	parts := []string{}
	for i := 0; i < n/3; i++ {
		parts = append(parts, strconv.Itoa(i)+":"+strconv.Itoa(i*7%13))
	}
	joined := strings.Join(parts, ",")
	dashes := 0
	for _, c := range s {
		if c == '-' {
			dashes++
		}
	}
	fmt.Println(len(s), len(joined), dashes, strings.Count(joined, ":12"), len(strings.ReplaceAll(s, "-", "+-")))
}
