"""What every client in Python sends beside the error that its framework reports."""

import os
from wsgiref.util import setup_testing_defaults

import sentry_sdk
from sentry_sdk.crons import capture_checkin

client = os.environ["CLIENT"]


def begin():
    sentry_sdk.init(
        dsn=os.environ["DSN"],
        release="clients@1.0.0",
        traces_sample_rate=1.0,
        enable_logs=True,
        shutdown_timeout=5,
    )
    sentry_sdk.set_user({"id": "u-7"})
    sentry_sdk.set_tag("client", client)
    add_breadcrumb()


def add_breadcrumb():
    sentry_sdk.add_breadcrumb(category="cart", message="added to cart")


def fail():
    # A request starts without earlier breadcrumbs.
    add_breadcrumb()
    raise ValueError("plain failure")


def inner():
    raise LookupError("inner failure")


def finish():
    try:
        try:
            inner()
        except LookupError as cause:
            raise RuntimeError("outer failure") from cause
    except RuntimeError as error:
        sentry_sdk.capture_exception(error)
    sentry_sdk.capture_message(f"hello from {client}")
    with sentry_sdk.start_transaction(name="checkout", op="task"):
        pass
    sentry_sdk.logger.info("cart is empty")
    capture_checkin(monitor_slug="nightly", status="ok")
    sentry_sdk.get_client().close(timeout=5)


def request_wsgi(app, path):
    """One request as a WSGI server makes it."""
    environ = {}
    setup_testing_defaults(environ)
    environ["PATH_INFO"] = path
    # Frameworks pass an unhandled error to the server.
    try:
        answer = app(environ, lambda status, headers, info=None: None)
        b"".join(answer)
        answer.close()
    except ValueError:
        pass
