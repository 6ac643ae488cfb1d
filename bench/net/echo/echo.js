const server = require("net").createServer({ noDelay: true }, (c) => {
  c.on("data", (d) => c.write(d));
  c.on("error", () => {});
});
server.listen(0, "127.0.0.1", 4096, () => console.log(server.address().port));
