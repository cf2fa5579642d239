// Refusal is an answer of the platform that is no success. Its code is stable: /docs/errors explains each. Its detail says
// what is wrong, and by the requestId the platform's people find the request.
export class Refusal extends Error {
  constructor(status, { code, detail, requestId }) {
    super(`the platform refuses: ${status} ${code}: ${detail} (request ${requestId})`);
    Object.assign(this, { code, requestId });
  }
}

// call calls the platform's API and decodes the answer. Without a token it calls as nobody. A body is sent as JSON, if it
// is no form.
export async function call(token, method, address, body) {
  const headers = { "Api-Version": "2026-11-01" }; // what this program was written for
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body && !(body instanceof FormData)) {
    headers["Content-Type"] = "application/json";
    body = JSON.stringify(body);
  }
  const answer = await fetch(address, { method, headers, body, signal: AbortSignal.timeout(8000) });
  if (answer.ok) return answer.json();
  const problem = await answer.json().catch(() => ({})); // what is no problem has no code
  throw new Refusal(answer.status, problem);
}
