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

func mandelbrot(first int) int {
	steps := 0
	for y := first; y < 1600; y += 2 {
		ci := 2.0*float64(y)/1600.0 - 1.0
		for x := 0; x < 1600; x++ {
			cr := 2.0*float64(x)/1600.0 - 1.5
			zr, zi, i := 0.0, 0.0, 0
			for i < 50 && zr*zr+zi*zi <= 4.0 {
				zr, zi = zr*zr-zi*zi+cr, 2.0*zr*zi+ci
				i++
			}
			steps += i
		}
	}
	return steps
}

func half(ofSum bool, n, part int) int {
	if ofSum {
		return addUp(n/2*part, n/2*(part+1))
	}
	return mandelbrot(part)
}

func timesFaster(ofSum bool, n int) float64 {
	alone, both := time.Duration(1<<62), time.Duration(1<<62)
	results := make(chan int, 2)
	for turn := 0; turn < 5; turn++ {
		began := time.Now()
		go func() { results <- half(ofSum, n, 0) ^ half(ofSum, n, 1) }()
		a := <-results
		alone = min(alone, time.Since(began))
		began = time.Now()
		go func() { results <- half(ofSum, n, 0) }()
		go func() { results <- half(ofSum, n, 1) }()
		if <-results^<-results != a {
			panic("wrong sum")
		}
		both = min(both, time.Since(began))
	}
	return float64(alone) / float64(both)
}

func parallelSum(n int) float64        { return timesFaster(true, n) }
func parallelMandelbrot(n int) float64 { return timesFaster(false, n) }

func main() {
	n, _ := strconv.Atoi(os.Args[2])
	works := map[string]func(int) float64{"messages": messages, "ping_pong": pingPong, "start": start, "parallel_sum": parallelSum, "parallel_mandelbrot": parallelMandelbrot}
	work, known := works[os.Args[1]]
	if !known {
		os.Exit(3)
	}
	fmt.Println(work(n))
}
