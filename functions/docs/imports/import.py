"""Brings a file of products into a shop, of nothing but the standard library:

    BASE="https://…" TOKEN="esk_…" python3 import.py products.csv

Shows what was wrong with which row, and ends with 0 when all rows are in. Run again, it changes what differs.
"""
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid

FILE = sys.argv[1]


def call(path, body=None):
    """Calls the platform, again after 429 and 5xx, and returns its answer. Anything else ends the program."""
    request = urllib.request.Request(os.environ["BASE"] + path, json.dumps(body).encode() if body else None)
    request.add_unredirected_header("Authorization", "Bearer " + os.environ["TOKEN"])
    if body:
        request.add_header("Content-Type", "application/json")
        request.add_header("Idempotency-Key", str(uuid.uuid4()))  # a POST that is repeated begins no second import
    for attempt in range(1, 11):
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refused:
            if refused.code != 429 and refused.code < 500 or attempt == 10:
                sys.exit(f"{path}: {refused.code} {refused.read().decode()}")
            wait = refused.headers.get("Retry-After", "")
            time.sleep(max(1, int(wait) if wait.isdigit() else 1))


def upload(address):
    """Sends the file, without the token. What broke off is sent again."""
    for attempt in range(1, 6):
        with open(FILE, "rb") as file:
            size = {"Content-Length": str(os.path.getsize(FILE))}
            try:
                return urllib.request.urlopen(urllib.request.Request(address, file, size, method="PUT")).close()
            except urllib.error.HTTPError as refused:
                if refused.code == 403 and attempt > 1:
                    return None  # it had come, and only the answer was lost
                if refused.code < 500 or attempt == 5:
                    sys.exit(f"the file: {refused.code} {refused.read().decode()}")
            except urllib.error.URLError as broken:
                if attempt == 5:
                    sys.exit(f"the file: {broken.reason}")
        time.sleep(attempt)


def main():
    form = "jsonl" if FILE.endswith(".jsonl") else "csv"
    made = call("/api-engine/imports", {"type": "products", "format": form, "mode": "upsert"})
    path = "/api-engine/imports/" + made["id"]
    upload(made["uploadUrl"])
    while made["state"] not in ("done", "failed"):
        time.sleep(1)
        made = call(path)
    query = "?itemsPerPage=250"
    while query:
        page = call(path + "/errors" + query)
        for error in page["items"]:
            print(f"row {error['row']}: {error.get('location', '')} {error['message']}")
        query = "?cursor=" + page["nextCursor"] if "nextCursor" in page else ""
    print(made["state"], made["rows"])
    sys.exit(made["state"] == "failed" or made["rows"]["failed"] > 0)


if __name__ == "__main__":
    main()
