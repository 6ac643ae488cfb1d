package main

import (
	"fmt"
	"io"
	"net"
	"runtime"
)

func main() {
	runtime.GOMAXPROCS(1)
	listener, _ := net.Listen("tcp", "127.0.0.1:0")
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	for {
		source, _ := listener.Accept()
		to, _ := listener.Accept()
		io.Copy(to, source)
		to.Close()
		source.Close()
	}
}
