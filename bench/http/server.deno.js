// The server of ./x bench http in Deno; with a second argument a proxy to that port.
const [port, behind] = Deno.args.map(Number);
Deno.serve({ port, hostname: "127.0.0.1" }, (req) => {
  const path = new URL(req.url).pathname;
  if (behind) return fetch(`http://127.0.0.1:${behind}${path}`, { method: req.method, headers: req.headers });
  if (path === "/json") return Response.json({ message: "Hello, World!", id: 42, tags: ["a", "b", "c"] });
  return new Response("Hello, World!", { headers: { "content-type": "text/plain; charset=utf-8" } });
});
