// A receiver of webhooks in Express, beside receiver.mjs:
//
//   WEBHOOK_KEYS="whsec_…" PORT=8090 node app.mjs
import express from "express";
import { receive } from "./receiver.mjs";

const app = express();

// A parser of bodies leaves nothing but what it parsed, so keep the raw bytes that its verify option is called with.
app.use(express.json({ verify: (request, response, bytes) => { request.rawBody = bytes; } }));

app.post("/hooks", (request, response) => {
  const [status, text] = receive(request.headers, request.rawBody ?? ""); // not request.body
  response.status(status).type("text").send(text);
});

app.listen(Number(process.env.PORT ?? 8090), "127.0.0.1");
