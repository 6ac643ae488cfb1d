// The server of ./x bench http in Go's net/http; with a second argument a proxy to that port.
package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"runtime"
)

type answer struct {
	Message string   `json:"message"`
	Id      int      `json:"id"`
	Tags    []string `json:"tags"`
}

func main() {
	runtime.GOMAXPROCS(1)
	mux := http.NewServeMux()
	if len(os.Args) > 2 {
		to, _ := url.Parse("http://127.0.0.1:" + os.Args[2])
		proxy := httputil.NewSingleHostReverseProxy(to)
		proxy.Transport = &http.Transport{MaxIdleConnsPerHost: 1000}
		mux.Handle("/", proxy)
	} else {
		mux.HandleFunc("/hello", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			io.WriteString(w, "Hello, World!")
		})
		mux.HandleFunc("/json", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			json.NewEncoder(w).Encode(answer{"Hello, World!", 42, []string{"a", "b", "c"}})
		})
	}
	http.ListenAndServe("127.0.0.1:"+os.Args[1], mux)
}
