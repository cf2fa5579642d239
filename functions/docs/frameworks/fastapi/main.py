"""A receiver of webhooks in FastAPI, beside receiver.py:

    WEBHOOK_KEYS="whsec_…" uvicorn main:app --port 8090
"""
from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool

from receiver import receive

app = FastAPI()


@app.post("/hooks")
async def hooks(request: Request) -> Response:
    body = bytearray()  # the raw bytes; a parameter of a model's type would be parsed
    async for part in request.stream():
        body += part
        if len(body) > 1 << 20:  # no webhook has a mebibyte
            return Response("too large", 413)
    # Your queue and your database may wait, and the loop must not.
    status, text = await run_in_threadpool(receive, request.headers, bytes(body))
    return Response(text, status)
