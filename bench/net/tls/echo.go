// echo CERT KEY: echo of whatever comes over TLS.
package main

import (
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"runtime"
)

func main() {
	runtime.GOMAXPROCS(1)
	pair, _ := tls.LoadX509KeyPair(os.Args[1], os.Args[2])
	listener, _ := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}})
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
