import os
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.urls import path
from verify import verify_call


def require_jobd(get_response):  # a middleware: name it in MIDDLEWARE
    def middleware(request):
        headers = {name.lower(): value for name, value in request.headers.items()}
        try:
            url = os.environ["PUBLIC_URL"] + request.get_full_path()
            request.call = verify_call(request.method, url, headers, request.body)
        except Exception as error:
            return HttpResponse(str(error), status=401, content_type="text/plain")
        return get_response(request)

    return middleware


def hook(request):
    return HttpResponse(f"run {request.call['run']}")


urlpatterns = [path("hook", hook)]
settings.configure(ROOT_URLCONF=__name__, MIDDLEWARE=[f"{__name__}.require_jobd"],
                   ALLOWED_HOSTS=["*"], SECRET_KEY="not used here")
application = get_wsgi_application()

if __name__ == "__main__":
    from wsgiref.simple_server import make_server

    make_server("127.0.0.1", int(os.environ["PORT"]), application).serve_forever()
