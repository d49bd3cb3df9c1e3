import asyncio, base64, json, time, urllib.error, urllib.parse, urllib.request

STATUS = {"invalid_token": 401, "invalid_api_key": 401, "unauthorized": 401, "invalid_request": 400,
          "too_many_requests": 429, "quota_exceeded": 429, "temporarily_unavailable": 503}

class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):  # the credentials of this service are for the platform alone
        return None

OPENER = urllib.request.build_opener(NoRedirect)

class Introspection:
    """Lets requests pass whose access token the platform calls active; the caller is in scope["client_id"]."""

    def __init__(self, app, url, client_id, client_secret, scope="", cached=10_000):
        self.app, self.url, self.scope, self.cached, self.cache = app, url, scope, cached, {}
        self.basic = "Basic " + base64.b64encode(f"{client_id}:{client_secret}".encode()).decode()

    def ask(self, token, ip):
        form = urllib.parse.urlencode({"token": token, "ip": ip, "scope": self.scope}).encode()
        with OPENER.open(urllib.request.Request(self.url, form, {"Authorization": self.basic}), timeout=6) as answer:
            return json.load(answer)

    async def find(self, token, ip):
        known, until = self.cache.get((token, ip), (None, 0))
        if time.monotonic() < until:
            return known
        asked = time.monotonic()
        answer = await asyncio.to_thread(self.ask, token, ip)
        if answer["max_age"] > 0:
            if len(self.cache) >= self.cached:
                self.cache.clear()
            self.cache[(token, ip)] = answer, asked + answer["max_age"]
        return answer

    async def __call__(self, scope, receive, send):
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":  # a WebSocket is closed before it opens
            return await send({"type": "websocket.close", "code": 1008})
        sent = [value.decode("latin-1") for name, value in scope["headers"] if name == b"authorization"]
        token = sent[0][7:].strip() if len(sent) == 1 and sent[0][:7].lower() == "bearer " else ""
        try:
            answer = await self.find(token, scope["client"][0]) if token else {"active": False, "reason": "unauthorized"}
        except Exception:  # whatever goes wrong between this service and the platform says nothing about the token
            answer = {"active": False, "reason": "temporarily_unavailable"}
        if answer["active"]:
            return await self.app({**scope, "client_id": answer["client_id"]}, receive, send)
        status = STATUS.get(answer["reason"], 403)
        headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
        headers += [(b"www-authenticate", b'Bearer realm="orders"')] if status == 401 else []
        headers += [(b"retry-after", str(answer.get("retry_after", 1)).encode())] if status in (429, 503) else []
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps({"error": answer["reason"]}).encode()})
