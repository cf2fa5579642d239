// Calls the handler in the folder that it is called with as API Gateway would. Each request becomes three events, and
// all must be answered alike: of an HTTP API as text and in base64, and of a REST API.
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";

const { handler } = await import(pathToFileURL(process.argv[2] + "/index.mjs"));

function events(request, body) {
  const names = request.rawHeaders.filter((_, i) => i % 2 === 0);
  const asSent = Object.fromEntries(names.map((name) => [name, request.headers[name.toLowerCase()]]));
  const http = { version: "2.0", routeKey: "POST /hooks", rawPath: "/hooks", headers: request.headers,
    requestContext: { http: { method: "POST", path: "/hooks" } } };
  const rest = { resource: "/hooks", path: "/hooks", httpMethod: "POST", headers: asSent,
    multiValueHeaders: Object.fromEntries(Object.entries(asSent).map(([name, value]) => [name, [value]])) };
  return [
    { ...http, body: body.toString(), isBase64Encoded: false },
    { ...http, body: body.toString("base64"), isBase64Encoded: true },
    { ...rest, body: body.toString(), isBase64Encoded: false },
  ];
}

// What a handler throws is answered 500 by an HTTP API.
async function invoke(event) {
  try {
    return await handler(event);
  } catch {
    return { statusCode: 500 };
  }
}

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  const answers = [];
  for (const event of events(request, body)) answers.push(JSON.stringify(await invoke(event)));
  const { statusCode, body: text } = JSON.parse(answers[0]);
  const alike = answers.every((answer) => answer === answers[0]);
  response.writeHead(alike ? statusCode : 599).end(alike ? text : answers.join("\n"));
}).listen(Number(process.env.PORT), "127.0.0.1");
