// Passes requests on to Aura with a device's token, for programs that cannot be given one.
//
// usage: node conformance-proxy.mjs PORT AURA_PORT    (the token in AURA_DEVICE_TOKEN)
//
// A Host or Origin that names this proxy names Aura instead; any other one is passed on as it is, so that Aura's own guard answers it.
import http from "node:http";

const [port, aura] = process.argv.slice(2).map(Number);
const renamed = (value) => value?.replace(/^((?:https?:\/\/)?(?:127\.0\.0\.1|localhost|\[::1\])):\d+$/, `$1:${aura}`);

http
  .createServer((incoming, answer) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${process.env.AURA_DEVICE_TOKEN}` };
    for (const name of ["host", "origin"]) {
      if (headers[name] !== undefined) headers[name] = renamed(headers[name]);
    }
    const outgoing = http.request(
      { host: "127.0.0.1", port: aura, path: incoming.url, method: incoming.method, headers, agent: false },
      (told) => {
        answer.writeHead(told.statusCode, told.headers);
        told.pipe(answer);
      },
    );
    outgoing.on("error", () => answer.destroy());
    // Who closes takes the request back.
    answer.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  })
  .listen(port, "127.0.0.1");
