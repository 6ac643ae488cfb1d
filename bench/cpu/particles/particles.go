package main

import (
	"fmt"
	"os"
	"strconv"
)

type Particles struct{ x, y, vx, vy []float64 }

func (p *Particles) step(dt float64) {
	for i := range p.x {
		p.x[i] += p.vx[i] * dt
		p.y[i] += p.vy[i] * dt
	}
}

func (p *Particles) pull(dt float64) {
	x, y, vx, vy := p.x, p.y, p.vx, p.vy
	for i := range x {
		vx[i] -= x[i] * dt
		vy[i] -= y[i] * dt
	}
}

func (p *Particles) energy() float64 {
	sum := 0.0
	for i := range p.x {
		sum += p.x[i]*p.x[i] + p.y[i]*p.y[i] + p.vx[i]*p.vx[i] + p.vy[i]*p.vy[i]
	}
	return sum
}

func main() {
	n := 10000
	if len(os.Args) > 1 {
		n, _ = strconv.Atoi(os.Args[1])
	}
	p := &Particles{}
	for i := 0; i < n; i++ {
		p.x = append(p.x, float64(i%100))
		p.y = append(p.y, float64(i%77))
		p.vx = append(p.vx, float64(i%13))
		p.vy = append(p.vy, float64(i%7))
	}
	for i := 0; i < 10000; i++ {
		p.step(0.001)
		p.pull(0.001)
	}
	fmt.Printf("%.6f\n", p.energy())
}
