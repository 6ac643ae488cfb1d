// The works of bench/isolates on goroutines, with GOMAXPROCS=2.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"
)

func per(began time.Time, steps int) float64 { return float64(time.Since(began).Nanoseconds()) / float64(steps) }

func messages(n int) float64 {
	ch := make(chan int, 1024)
	began := time.Now()
	go func() {
		for i := 0; i < n; i++ {
			ch <- i
		}
		close(ch)
	}()
	sum := 0
	for x := range ch {
		sum += x
	}
	if sum != n*(n-1)/2 {
		panic("wrong sum")
	}
	return per(began, n)
}

func pingPong(n int) float64 {
	there, back := make(chan int, 1), make(chan int, 1)
	go func() {
		for x := range there {
			back <- x + 1
		}
	}()
	began := time.Now()
	x := 0
	for i := 0; i < n; i++ {
		there <- x
		x = <-back
	}
	took := per(began, n)
	close(there)
	return took
}

func start(n int) float64 {
	began := time.Now()
	var done sync.WaitGroup
	for i := 0; i < n; i++ {
		done.Add(1)
		go func() { done.Done() }()
		done.Wait()
	}
	return per(began, n)
}

func addUp(first, end int) int {
	sum := 0
	for i := first; i < end; i++ {
		sum = sum ^ (i*7 + (i >> 3))
	}
	return sum
}

func parallel(n int) float64 {
	began := time.Now()
	a := addUp(0, n)
	alone := time.Since(began)
	began = time.Now()
	results := make(chan int, 2)
	go func() { results <- addUp(0, n/2) }()
	go func() { results <- addUp(n/2, n) }()
	if <-results^<-results != a {
		panic("wrong sum")
	}
	return float64(alone) / float64(time.Since(began))
}

func main() {
	n, _ := strconv.Atoi(os.Args[2])
	works := map[string]func(int) float64{"messages": messages, "ping_pong": pingPong, "start": start, "parallel": parallel}
	work, known := works[os.Args[1]]
	if !known {
		os.Exit(3)
	}
	fmt.Println(work(n))
}
