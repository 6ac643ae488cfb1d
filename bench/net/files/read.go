// read FOLDER COUNT TIMES: reads all files at the same time, so many times.
package main

import (
	"fmt"
	"os"
	"strconv"
)

func main() {
	count, _ := strconv.Atoi(os.Args[2])
	times, _ := strconv.Atoi(os.Args[3])
	for round := 0; round < times; round++ {
		sizes := make(chan int)
		for i := 0; i < count; i++ {
			go func() {
				data, _ := os.ReadFile(fmt.Sprintf("%s/%d", os.Args[1], i))
				sizes <- len(data)
			}()
		}
		total := 0
		for i := 0; i < count; i++ {
			total += <-sizes
		}
		if total != count*1024 {
			os.Exit(1)
		}
	}
}
