import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import path

import send


def cart(request):
    send.fail()


urlpatterns = [path("cart", cart)]

send.begin()
settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="of a test", USE_TZ=True)
django.setup()
send.request_wsgi(get_wsgi_application(), "/cart")
send.finish()
