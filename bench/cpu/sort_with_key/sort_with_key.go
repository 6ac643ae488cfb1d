package main

import (
	"fmt"
	"os"
	"sort"
	"strconv"
)

type Person struct {
	name  string
	age   int
	score float64
}

func main() {
	n := 500000
	if len(os.Args) > 1 {
		n, _ = strconv.Atoi(os.Args[1])
	}
	people := []*Person{}
	seed := 7
	for i := 0; i < n; i++ {
		seed = (seed*1103515245 + 12345) % 2147483648
		people = append(people, &Person{"p" + strconv.Itoa(seed%100003), seed / 1000 % 90, float64(seed%1000) / 8})
	}
	byAge := append([]*Person{}, people...)
	byName := append([]*Person{}, people...)
	sort.SliceStable(byAge, func(i, j int) bool { return byAge[i].age < byAge[j].age })
	sort.SliceStable(byName, func(i, j int) bool { return byName[i].name < byName[j].name })
	sort.SliceStable(people, func(i, j int) bool {
		if people[i].score != people[j].score {
			return people[i].score > people[j].score
		}
		return people[i].age < people[j].age
	})
	check := 0
	for i := 0; i < n; i += 1000 {
		check = (check*31 + byAge[i].age + len(byName[i].name) + int(people[i].score)) % 1000000007
	}
	fmt.Println(byAge[0].age, byName[0].name, strconv.FormatFloat(people[0].score, 'f', -1, 64), check)
}
