// A receiver of webhooks in Express, beside receiver.mjs:
//
//   WEBHOOK_KEYS="whsec_…" PORT=8090 node app.mjs
import express from "express";
import { receive } from "./receiver.mjs";

const app = express();

// A parser of bodies leaves nothing but what it parsed, so keep the raw bytes that its verify option is called with.
// Its own limit is 100 kB; a webhook may be longer, but none has a mebibyte.
app.use(express.json({ limit: "1mb", verify: (request, response, bytes) => { request.rawBody = bytes; } }));

// What the parser refuses is no webhook. This stands before the route, whose own errors are 500.
app.use("/hooks", (error, request, response, next) => {
  response.status(401).type("text").send("not signed by the platform");
});

app.post("/hooks", (request, response) => {
  const [status, text] = receive(request.headers, request.rawBody ?? ""); // not request.body
  response.status(status).type("text").send(text);
});

app.listen(Number(process.env.PORT ?? 8090), "127.0.0.1");
