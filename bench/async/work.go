// The works of bench/async on goroutines, with GOMAXPROCS=1.
package main

import (
	"errors"
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

var began int64

func cpu() int64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano()
}
func start()            { began = cpu() }
func per(n int) float64 { return float64(cpu()-began) / float64(n) }

var sink int

func spawn(n int) float64 {
	start()
	var all sync.WaitGroup
	all.Add(n)
	for i := 0; i < n; i++ {
		go func() { sink = i + 1; all.Done() }()
	}
	all.Wait()
	return per(n)
}

func yields(n int) float64 {
	start()
	var all sync.WaitGroup
	all.Add(1000)
	for i := 0; i < 1000; i++ {
		go func() {
			for k := 0; k < n/1000; k++ {
				runtime.Gosched()
			}
			all.Done()
		}()
	}
	all.Wait()
	return per(n)
}

func pingPong(n int) float64 {
	a, b := make(chan int, 1), make(chan int, 1)
	start()
	go func() {
		for i := 0; i < n; i++ {
			b <- <-a
		}
	}()
	for i := 0; i < n; i++ {
		a <- i
		<-b
	}
	return per(n * 2)
}

func timers(n int) float64 {
	r := rand.New(rand.NewSource(1))
	start()
	var all sync.WaitGroup
	all.Add(n)
	for i := 0; i < n; i++ {
		d := time.Duration(r.Intn(1_000_000_000))
		go func() { time.Sleep(d); all.Done() }()
	}
	all.Wait()
	return per(n)
}

func resident() int {
	text, _ := os.ReadFile("/proc/self/statm")
	pages, _ := strconv.Atoi(strings.Fields(string(text))[1])
	return pages * 4096
}

func memory(n int) float64 {
	before := resident()
	for i := 0; i < n; i++ {
		go func() { time.Sleep(1000 * time.Second) }()
	}
	for i := 0; i < 10; i++ {
		runtime.Gosched()
	}
	return float64(resident()-before) / float64(n)
}

func cancel(n int) float64 {
	stop := make(chan struct{})
	var all sync.WaitGroup
	all.Add(n)
	for i := 0; i < n; i++ {
		go func() { <-stop; all.Done() }()
	}
	runtime.Gosched()
	start()
	close(stop)
	all.Wait()
	return per(n)
}

var no = errors.New("no")

//go:noinline
func fail(depth, x int) (int, error) {
	if depth == 0 {
		return 0, fmt.Errorf("at %d: %w", depth, no)
	}
	return fail(depth-1, x)
}

func failures(n int) float64 {
	start()
	caught := 0
	for i := 0; i < n; i++ {
		if _, err := fail(5, i); err != nil {
			caught++
		}
	}
	sink = caught
	return per(n)
}

func semaphore(n int) float64 {
	free := make(chan struct{}, 10)
	start()
	var all sync.WaitGroup
	all.Add(1000)
	for i := 0; i < 1000; i++ {
		go func() {
			for k := 0; k < n/1000; k++ {
				free <- struct{}{}
				runtime.Gosched()
				<-free
			}
			all.Done()
		}()
	}
	all.Wait()
	return per(n)
}

func main() {
	n := 1_000_000
	if len(os.Args) > 2 {
		n, _ = strconv.Atoi(os.Args[2])
	}
	works := map[string]func(int) float64{"spawn": spawn, "yield": yields, "channel": pingPong, "timers": timers, "memory": memory,
		"cancel": cancel, "error": failures, "semaphore": semaphore}
	work, found := works[os.Args[1]]
	if !found {
		os.Exit(2)
	}
	fmt.Printf("%.2f\n", work(n))
}
