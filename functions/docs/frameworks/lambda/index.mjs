// A receiver of webhooks in Lambda, with receiver.mjs beside it, behind an HTTP or REST API of API Gateway or a
// function URL. Set WEBHOOK_KEYS in the function's environment; its handler is index.handler.
import { receive } from "./receiver.mjs";

export async function handler(event) {
  // The raw bytes: some bodies come in base64.
  const body = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
  const headers = Object.fromEntries(new Headers(event.headers)); // a REST API leaves their case as it was sent
  const [statusCode, text] = receive(headers, body);
  return { statusCode, body: text };
}
