# Says who made a call, or raises. Needs: pip install pyjwt[crypto]
import base64, hashlib, os, re, threading, time
import jwt
from cryptography.exceptions import InvalidSignature

ISSUER, AUDIENCE = os.environ["JOBD_URL"], os.environ.get("AUDIENCE")
WORKSPACE = os.environ.get("WORKSPACE_ID")
keys = jwt.PyJWKClient(ISSUER + "/.well-known/jwks.json", lifespan=300)
LEEWAY = 30  # seconds that clocks may differ
seen, lock = {}, threading.Lock()  # what came already; several processes need a common store


def verify_call(method, url, headers, body):
    """url is the whole URL that the job calls; headers have names in lower case; body is bytes."""
    token = re.fullmatch(r"Bearer (.+)", headers.get("authorization", ""))
    # What the target expects decides, not what came: every workspace of the site can sign.
    call = by_token(token) if AUDIENCE else by_signature(method, url, headers, body)
    now = time.time()
    with lock:
        for old in [key for key, until in seen.items() if until < now]:
            del seen[old]
        if call["id"] in seen:
            raise ValueError("replayed")
        seen[call["id"]] = call["expires"] + LEEWAY
    return call


def by_token(found):
    if not found:
        raise ValueError("no token")
    token = found[1]
    key = keys.get_signing_key_from_jwt(token).key
    rules = {"require": ["exp", "jti", "iss", "aud"]}
    claims = jwt.decode(token, key, algorithms=["EdDSA", "RS256"], audience=AUDIENCE,
                        issuer=ISSUER, leeway=LEEWAY, options=rules)
    if claims["workspace_id"] != WORKSPACE:
        raise ValueError("another workspace")
    return {"id": claims["jti"], "expires": claims["exp"], "run": claims["run_id"]}


def by_signature(method, url, headers, body):
    names = ["@method", "@target-uri", "x-service-run-id", "x-service-scheduled-for",
             "content-digest", "signature-agent"]
    covered = [name for name in names if body or name != "content-digest"]
    listed = "(" + " ".join(f'"{name}"' for name in covered) + ")"
    params = headers.get("signature-input", "").removeprefix("sig1=")
    found = re.fullmatch(re.escape(listed) + r';created=(\d+);expires=(\d+);nonce="([^"]+)"'
                         r';keyid="([^"]+)";tag="web-bot-auth"', params)
    signature = re.fullmatch(r"sig1=:(.+):", headers.get("signature", ""))
    if not found or not signature:
        raise ValueError("not signed as it should be")
    created, expires, nonce, kid = int(found[1]), int(found[2]), found[3], found[4]
    values = {**headers, "@method": method, "@target-uri": url}
    lines = "".join(f'"{name}": {values.get(name)}\n' for name in covered)
    base = f'{lines}"@signature-params": {params}'.encode()
    key = keys.get_signing_key(kid).key
    try:
        key.verify(base64.b64decode(signature[1]), base)
    except InvalidSignature:
        raise ValueError(f"altered, or not called as {method} {url}")
    if not created - LEEWAY <= time.time() <= expires + LEEWAY:
        raise ValueError(f"expired, or a clock is wrong: here it is {time.ctime()}")
    if headers["signature-agent"] != f'"{ISSUER}"':
        raise ValueError(f"another site: {headers['signature-agent']}")
    digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
    if body and headers["content-digest"] != f"sha-256=:{digest}:":
        raise ValueError("altered body")
    return {"id": nonce, "expires": expires, "run": headers["x-service-run-id"]}
