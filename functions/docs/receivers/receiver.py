"""A receiver of webhooks, of nothing but the standard library:

    WEBHOOK_KEYS="whsec_…" PORT=8090 python3 receiver.py

WEBHOOK_KEYS holds one signing key, or two while you rotate. Put it behind something that speaks https.
"""
import base64
import hashlib
import hmac
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# The 32 bytes that sign, of each whsec_… text.
KEYS = [base64.b64decode(text.removeprefix("whsec_")) for text in os.environ.get("WEBHOOK_KEYS", "").split()]
if any(len(key) != 32 for key in KEYS):
    sys.exit("WEBHOOK_KEYS holds a text that is no signing key")

# The ids of what was handed on. Yours belong into your database, with a unique index, for 40 days.
taken = set()
taking = threading.Lock()


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


def take(hook):
    """Hands a webhook on, unless that was done before. Its id is kept only then: after an error it comes again."""
    with taking:
        if hook["id"] not in taken:
            # Put it into a queue of your own here: answer, then do the work.
            print(hook["event"], hook["id"], json.dumps(hook["data"]), flush=True)
            taken.add(hook["id"])


def receive(headers, body):
    """Answers a webhook with a status and a text, from its headers and its raw body."""
    if not genuine(headers, body):
        return 401, b"not signed by the platform"
    hook = json.loads(body)
    if hook["event"] == "ping":  # the nonce in the answer proves that this address is yours
        return 200, hook["data"]["nonce"].encode()
    take(hook)
    return 204, b""


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 1 << 20))  # the raw bytes
        try:
            status, text = receive(self.headers, body)
        except Exception:
            status, text = 500, b"cannot be taken now"
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8090"))), Receiver)
    print("listening on 127.0.0.1:%d" % server.server_port, file=sys.stderr)
    server.serve_forever()
