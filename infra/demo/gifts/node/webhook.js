import { createHmac, timingSafeEqual } from "node:crypto";

// parseKeys makes the 32 bytes that sign of each whsec_… text.
export function parseKeys(texts) {
  const keys = texts.split(/\s+/).filter(Boolean).map((text) => Buffer.from(text.replace(/^whsec_/, ""), "base64"));
  if (keys.some((key) => key.length !== 32)) throw new Error("WEBHOOK_KEYS holds a text that is no signing key");
  return keys;
}

// genuine says whether one of the keys signed this body within five minutes of now (seconds). The body is the raw
// bytes, never parsed and written anew.
export function genuine(keys, headers, body, now = Date.now() / 1000) {
  const stamp = headers["x-webhook-timestamp"] ?? "";
  const given = Buffer.from(headers["x-webhook-signature"] ?? "");
  if (!/^\d+$/.test(stamp) || Math.abs(now - Number(stamp)) > 300) return false;
  return keys.some((key) => {
    const want = Buffer.from(sign(key, stamp, body));
    return want.length === given.length && timingSafeEqual(want, given);
  });
}

// sign is the signature of a body at a time.
export function sign(key, stamp, body) {
  return "sha256=" + createHmac("sha256", key).update(`${stamp}.`).update(body).digest("hex");
}
