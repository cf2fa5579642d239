// A receiver of webhooks in Next.js: app/hooks/route.js, with receiver.mjs beside it. WEBHOOK_KEYS can stand in .env.
import { receive } from "./receiver.mjs";

export async function POST(request) {
  const body = Buffer.from(await request.arrayBuffer()); // the raw bytes, not request.json()
  const [status, text] = receive(Object.fromEntries(request.headers), body);
  return new Response(text, { status });
}
