// A receiver of webhooks in Next.js: app/hooks/route.js, with receiver.mjs beside it. WEBHOOK_KEYS can stand in .env.
import { receive } from "./receiver.mjs";

export async function POST(request) {
  const parts = []; // the raw bytes, not request.json(); no webhook has a mebibyte
  let length = 0;
  for await (const part of request.body ?? []) {
    length += part.length;
    if (length > 1 << 20) return new Response("too large", { status: 413 });
    parts.push(part);
  }
  const [status, text] = receive(Object.fromEntries(request.headers), Buffer.concat(parts));
  return new Response(text, { status });
}
