import os
from flask import Flask, g, request
from verify import verify_call

app = Flask(__name__)


@app.before_request
def require_jobd():
    target = request.environ["REQUEST_URI"]  # as it was sent; gunicorn calls it RAW_URI
    headers = {name.lower(): value for name, value in request.headers.items()}
    try:
        url = os.environ["PUBLIC_URL"] + target
        g.call = verify_call(request.method, url, headers, request.get_data())
    except Exception as error:
        return str(error), 401, {"Content-Type": "text/plain"}


@app.route("/hook", methods=["GET", "POST"])
def hook():
    return f"run {g.call['run']}"


if __name__ == "__main__":
    app.run("127.0.0.1", int(os.environ["PORT"]))
