"""Keeps a copy of a shop's products in a file, of nothing but the standard library:

    BASE="https://…" TOKEN="esk_…" python3 sync.py products.json

The first run takes an export, each later one what has changed since. One run at a time: it ends when all is there.
"""
import datetime
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid

FILE = sys.argv[1] if len(sys.argv) > 1 else "products.json"

# What the file holds. Yours belongs into your database: a page and its cursor in one transaction.
shop = {"cursor": "", "products": {}}


def call(path, body=None, expected=None):
    """Calls the platform, again after 429 and 5xx, and returns the status and what was answered. One status beside 2xx
    may be expected; any other ends the program."""
    request = urllib.request.Request(os.environ["BASE"] + path, json.dumps(body).encode() if body else None)
    request.add_unredirected_header("Authorization", "Bearer " + os.environ["TOKEN"])
    if body:
        request.add_header("Content-Type", "application/json")
        request.add_header("Idempotency-Key", str(uuid.uuid4()))  # a POST that is repeated begins no second export
    for attempt in range(1, 11):
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refused:
            if refused.code == expected:
                return refused.code, None
            if refused.code != 429 and refused.code < 500 or attempt == 10:
                sys.exit(f"{path}: {refused.code} {refused.read().decode()}")
            wait = refused.headers.get("Retry-After", "")
            time.sleep(max(1, int(wait) if wait.isdigit() else 1))


def begin():
    """Fills the copy from an export and returns where the feed goes on from: a minute before the export was asked
    for, because what changes from then on may be in the file as it was before, or not at all."""
    _, export = call("/api-engine/exports", {"type": "products", "format": "jsonl"})
    while export["state"] != "done":
        if export["state"] == "failed":
            sys.exit(f"the export failed: {export['error']}")
        time.sleep(1)
        _, export = call("/api-engine/exports/" + export["id"])
    products, rows = {}, 0
    with urllib.request.urlopen(export["downloadUrl"], timeout=60) as lines:  # without the token, for another host
        for line in lines:
            product = json.loads(line)
            products[product["id"]] = product  # one that is there twice is newer the second time
            rows += 1
    if rows != export["rows"]:
        sys.exit(f"{rows} of {export['rows']} lines came")
    shop["products"] = products
    created = datetime.datetime.fromisoformat(export["created"].replace("Z", "+00:00"))
    since = created.replace(tzinfo=None) - datetime.timedelta(minutes=1)
    return "types=products&from=" + since.isoformat(timespec="seconds") + "Z"


def apply(page):
    """Brings the copy up to a page of the feed. What the feed names is fetched as it is now, so once is enough."""
    newest = {}
    for entry in page:
        if entry["at"] >= newest.get(entry["id"], entry)["at"]:
            newest[entry["id"]] = entry
    for key, entry in newest.items():
        if entry["change"] != "deleted":
            if shop["products"].get(key, {"changed": ""})["changed"] >= entry["at"]:
                continue  # the copy knows
            status, product = call("/api-engine/products/" + key, expected=404)
        if entry["change"] == "deleted" or status == 404:
            shop["products"].pop(key, None)
        else:
            shop["products"][key] = product


def main():
    if os.path.exists(FILE):
        with open(FILE) as text:
            shop.update(json.load(text))
    while True:
        changes = "/api-engine/changes?itemsPerPage=250&"
        status, page = 410, None
        if shop["cursor"]:
            status, page = call(changes + "cursor=" + shop["cursor"], expected=410)
        if status == 410:  # no cursor, or feed_expired: the copy begins anew
            status, page = call(changes + begin())
        if not page["items"] and page["nextCursor"] == shop["cursor"]:
            break  # there is nothing newer
        apply(page["items"])
        shop["cursor"] = page["nextCursor"]
        # A crash leaves the old file or the new one; what a run does again does no harm.
        with open(FILE + ".new", "w") as text:
            json.dump(shop, text)
        os.replace(FILE + ".new", FILE)
    print(len(shop["products"]), "products")


if __name__ == "__main__":
    main()
