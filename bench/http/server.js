// The server of ./x bench http in Node; with a second argument a proxy to that port.
const http = require("http");
const [port, behind] = process.argv.slice(2).map(Number);
const agent = new http.Agent({ keepAlive: true, maxSockets: 1000 });
http.createServer((req, res) => {
  if (behind) {
    const to = http.request({ port: behind, host: "127.0.0.1", path: req.url, method: req.method, headers: req.headers, agent }, (answer) => {
      res.writeHead(answer.statusCode, answer.headers);
      answer.pipe(res);
    });
    req.pipe(to);
  } else if (req.url === "/json") {
    res.setHeader("content-type", "application/json");
    res.end(JSON.stringify({ message: "Hello, World!", id: 42, tags: ["a", "b", "c"] }));
  } else {
    res.setHeader("content-type", "text/plain; charset=utf-8");
    res.end("Hello, World!");
  }
}).listen(port, "127.0.0.1");
