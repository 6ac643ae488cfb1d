package main

import (
	"fmt"
	"net"
	"runtime"
)

func main() {
	runtime.GOMAXPROCS(1)
	listener, _ := net.Listen("tcp", "127.0.0.1:0")
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	for {
		conn, _ := listener.Accept()
		go func() {
			defer conn.Close()
			room := make([]byte, 4096)
			for {
				n, err := conn.Read(room)
				if err != nil {
					return
				}
				conn.Write(room[:n])
			}
		}()
	}
}
