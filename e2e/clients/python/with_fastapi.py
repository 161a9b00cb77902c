import asyncio

from fastapi import FastAPI

import send

send.begin()
app = FastAPI()
app.get("/cart")(send.fail)


async def request():
    """One request as an ASGI server makes it."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": "/cart",
        "raw_path": b"/cart",
        "root_path": "",
        "query_string": b"",
        "headers": [(b"host", b"shop.test")],
        "client": ("127.0.0.1", 1),
        "server": ("shop.test", 80),
    }

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def answer(message):
        pass

    try:
        await app(scope, receive, answer)
    except ValueError:
        pass


asyncio.run(request())
send.finish()
