package main

import (
	"fmt"
	"os"
	"strconv"
)

func main() {
	n := 1600
	if len(os.Args) > 1 {
		n, _ = strconv.Atoi(os.Args[1])
	}
	inside, steps := 0, 0
	for y := 0; y < n; y++ {
		ci := 2*float64(y)/float64(n) - 1
		for x := 0; x < n; x++ {
			cr := 2*float64(x)/float64(n) - 1.5
			zr, zi, i := 0.0, 0.0, 0
			for i < 50 && zr*zr+zi*zi <= 4 {
				zr, zi = zr*zr-zi*zi+cr, 2*zr*zi+ci
				i++
			}
			steps += i
			if i == 50 {
				inside++
			}
		}
	}
	fmt.Println(inside, steps)
}
