// Echo of whatever comes, with Bun's own sockets.
const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data(socket, data) { socket.write(data); } } });
console.log(server.port);
