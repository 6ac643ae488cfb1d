package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
)

func a(i, j int) float64 { return 1 / float64((i+j)*(i+j+1)/2+i+1) }

func times(v, out []float64) {
	for i := range v {
		sum := 0.0
		for j := range v {
			sum += a(i, j) * v[j]
		}
		out[i] = sum
	}
}

func timesTransposed(v, out []float64) {
	for i := range v {
		sum := 0.0
		for j := range v {
			sum += a(j, i) * v[j]
		}
		out[i] = sum
	}
}

func main() {
	n := 2000
	if len(os.Args) > 1 {
		n, _ = strconv.Atoi(os.Args[1])
	}
	u, v, t := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range u {
		u[i] = 1
	}
	for i := 0; i < 10; i++ {
		times(u, t)
		timesTransposed(t, v)
		times(v, t)
		timesTransposed(t, u)
	}
	vbv, vv := 0.0, 0.0
	for i := range u {
		vbv += u[i] * v[i]
		vv += v[i] * v[i]
	}
	fmt.Printf("%.9f\n", math.Sqrt(vbv/vv))
}
