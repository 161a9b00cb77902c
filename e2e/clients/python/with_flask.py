from flask import Flask

import send

send.begin()
app = Flask("shop")
app.add_url_rule("/cart", "cart", send.fail)
send.request_wsgi(app, "/cart")
send.finish()
