// As orders.met, with encoding/json.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"unicode/utf8"
)

type Item struct {
	Sku   string  `json:"sku"`
	Count int     `json:"count"`
	Price float64 `json:"price"`
}

type Order struct {
	Id       int      `json:"id"`
	Customer string   `json:"customer"`
	Email    string   `json:"email"`
	City     string   `json:"city"`
	Paid     bool     `json:"paid"`
	Total    float64  `json:"total"`
	Note     *string  `json:"note"`
	Tags     []string `json:"tags"`
	Items    []Item   `json:"items"`
}

func now() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Sec+usage.Stime.Sec)*1000 + float64(usage.Utime.Usec+usage.Stime.Usec)/1000
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	rounds, _ := strconv.Atoi(os.Args[2])
	sum, size := 0, 0
	start := now()
	var orders []Order
	for i := 0; i < rounds; i++ {
		orders = nil
		if err := json.Unmarshal(text, &orders); err != nil {
			panic(err)
		}
	}
	decoding := (now() - start) / float64(rounds)
	for _, order := range orders {
		sum += order.Id + utf8.RuneCountInString(order.Customer) + len(order.Items)
		for _, item := range order.Items {
			sum += item.Count
		}
	}
	start = now()
	for i := 0; i < rounds; i++ {
		out, err := json.Marshal(orders)
		if err != nil {
			panic(err)
		}
		size = utf8.RuneCount(out)
	}
	encoding := (now() - start) / float64(rounds)
	fmt.Printf("%.3f %.3f %d %d\n", decoding, encoding, sum, size)
}
