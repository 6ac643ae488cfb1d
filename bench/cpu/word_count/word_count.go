package main

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
)

func makeText(words int) string {
	parts := []string{}
	seed := 42
	for i := 0; i < words; i++ {
		seed = (seed*1103515245 + 12345) % 2147483648
		a := seed / 65536 % 300
		seed = (seed*1103515245 + 12345) % 2147483648
		b := seed / 65536 % 300
		parts = append(parts, "word"+strconv.Itoa(a*b%20011))
	}
	return strings.Join(parts, " ")
}

func main() {
	n := 2000000
	if len(os.Args) > 1 {
		n, _ = strconv.Atoi(os.Args[1])
	}
	counts := map[string]int{}
	for _, word := range strings.Split(makeText(n), " ") {
		counts[word]++
	}
	type pair struct {
		word  string
		count int
	}
	ranked := []pair{}
	for word, count := range counts {
		ranked = append(ranked, pair{word, count})
	}
	sort.Slice(ranked, func(i, j int) bool {
		if ranked[i].count != ranked[j].count {
			return ranked[i].count > ranked[j].count
		}
		return ranked[i].word < ranked[j].word
	})
	fmt.Println(len(counts))
	for _, p := range ranked[:min(5, len(ranked))] {
		fmt.Println(p.word, p.count)
	}
}
