"""A receiver of webhooks, of nothing but the standard library:

    WEBHOOK_KEYS="whsec_…" PORT=8090 python3 receiver.py

WEBHOOK_KEYS holds one signing key, or two while you rotate. Put it behind something that speaks https.
"""
import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# The 32 bytes that sign, of each whsec_… text.
KEYS = [base64.b64decode(text.removeprefix("whsec_")) for text in os.environ.get("WEBHOOK_KEYS", "").split()]

# The ids of what was taken already. Yours belong into your database, with a unique index, for 40 days.
seen = set()


def genuine(headers, body):
    """Says whether one of our keys signed this body within the last five minutes."""
    stamp = headers.get("X-Webhook-Timestamp", "")
    given = headers.get("X-Webhook-Signature", "")
    if not (stamp.isascii() and stamp.isdigit() and len(stamp) < 20) or abs(time.time() - int(stamp)) > 300:
        return False
    for key in KEYS:
        want = "sha256=" + hmac.new(key, stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        if hmac.compare_digest(want.encode(), given.encode()):
            return True
    return False


def receive(headers, body):
    if not genuine(headers, body):
        return 401, b"not signed by the platform"
    hook = json.loads(body)
    if hook["event"] == "ping":  # the nonce in the answer proves that this address is yours
        return 200, hook["data"]["nonce"].encode()
    if hook["id"] not in seen:
        seen.add(hook["id"])
        # Put it into a queue of your own, answer, then do the work.
        print(hook["event"], hook["id"], json.dumps(hook["data"]), flush=True)
    return 204, b""


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 1 << 20))  # the raw bytes
        status, text = receive(self.headers, body)
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8090"))), Receiver)
    print("listening on 127.0.0.1:%d" % server.server_port, flush=True)
    server.serve_forever()
