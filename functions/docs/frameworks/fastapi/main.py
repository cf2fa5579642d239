"""A receiver of webhooks in FastAPI, beside receiver.py:

    WEBHOOK_KEYS="whsec_…" uvicorn main:app --port 8090
"""
from fastapi import FastAPI, Request, Response

from receiver import receive

app = FastAPI()


@app.post("/hooks")
async def hooks(request: Request) -> Response:
    body = await request.body()  # the raw bytes; a parameter of a model's type would be parsed
    status, text = receive(request.headers, body)
    return Response(text, status)
