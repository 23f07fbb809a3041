"""The protocol's paths: each request is checked, given its action, and answered by the desk."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from aiohttp import web

from bench.fake_model.batches import Batches
from bench.fake_model.checks import Refused, check_body, check_headers, parsed
from bench.fake_model.delivery import DIGEST, ID, OUTCOME, STREAM, deliver, tear
from bench.fake_model.direction import Director
from bench.fake_model.prompt import Reader, Turn, answer
from bench.fake_model.reply import PAGE, events, message, plain_bytes, shape
from bench.fake_model.scenario import Action, ModelEntry, Scenario
from bench.fake_model.stats import Stats
from bench.fake_model.usage import Cache, counted
from phases.core.bundle import BUNDLE

LARGEST = 32 * 1024 * 1024
PREFIX = "/v1/"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Seen(NamedTuple):
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: Any
    """The JSON value, or nothing."""


class Made(NamedTuple):
    """A message that was made, and so is billed, whether or not it arrived."""

    id: str
    """Id of its request."""
    body: str
    """Digest of its request's body."""
    usage: Mapping[str, int]
    """Its tokens, by kind."""


class Service:
    """One server's state and its handlers. `keep` says whether requests are kept to be looked at."""

    def __init__(self, told: Scenario, *, keep: bool) -> None:
        self._told, self._keep = told, keep
        self._reader = Reader(BUNDLE / "skills")
        self._numbers = 0
        self.bodies: list[Seen] = []
        self.made: list[Made] = []
        self.clear()

    def clear(self) -> None:
        """Forget everything that was counted, cached, kept or scripted so far."""
        self.stats = Stats()
        self._director = Director(self._told)
        self._cache = Cache(self._told.minimum_cacheable)
        self._batches = Batches(self._told.batch_polls)
        self.bodies.clear()
        self.made.clear()

    def app(self) -> web.Application:
        """The application."""
        app = web.Application(client_max_size=LARGEST, middlewares=[self._counted])
        app.add_routes(
            [
                web.get("/ready", self._ready),
                web.get("/stats", self._stats),
                web.post("/reset", self._reset),
                web.post("/v1/messages", self._message),
                web.post("/v1/messages/count_tokens", self._count),
                web.get("/v1/models", self._models),
                web.get("/v1/models/{id}", self._model),
                web.post("/v1/messages/batches", self._new_batch),
                web.get("/v1/messages/batches", self._all_batches),
                web.get("/v1/messages/batches/{id}", self._batch),
                web.get("/v1/messages/batches/{id}/results", self._results),
                web.post("/v1/messages/batches/{id}/cancel", self._cancel),
            ]
        )
        return app

    @web.middleware
    async def _counted(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Number, check and count a request; write refusals as the protocol does."""
        if not request.path.startswith(PREFIX):
            return await handler(request)
        stats, outcome = self.stats, "gone"
        request[ID] = f"req_{self._number():012d}"
        stats.enter(request.path)
        try:
            found = await self._guarded(request, handler)
            outcome = str(found.status)
            if found.status == 200 and DIGEST in request and OUTCOME not in request:
                stats.answer(request[DIGEST])
            return found
        finally:
            stats.leave(request.get(OUTCOME, outcome))

    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        id = request[ID]
        try:
            if self._keep:
                await self._record(request)
            check_headers(request.headers, self._told)
            return await handler(request)
        except Refused as error:
            headers = {"request-id": id}
            if error.retry_after is not None:
                headers["retry-after"] = error.retry_after
            return web.json_response(error.body(id), status=error.status, headers=headers)
        except web.HTTPException as error:
            told = Refused(error.status, error.reason).body(id)
            return web.json_response(told, status=error.status, headers={"request-id": id})

    async def _record(self, request: web.Request) -> None:
        headers = {name.lower(): value for name, value in request.headers.items()}
        try:
            body: Any = parsed(await request.read()) if request.can_read_body else None
        except Refused:
            body = None
        self.bodies.append(Seen(request.path, headers, body))

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers

    # Beside the protocol

    async def _ready(self, request: web.Request) -> web.Response:
        return web.json_response({"ready": True})

    async def _stats(self, request: web.Request) -> web.Response:
        return web.json_response(self.stats.told())

    async def _reset(self, request: web.Request) -> web.Response:
        self.clear()
        return web.json_response({"reset": True})

    # Turns

    async def _message(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        self.stats.turns += 1
        body = parsed(raw)
        check_body(body, self._told)
        request[DIGEST] = hashlib.sha256(raw).hexdigest()
        attempt = self._director.attempt(request[DIGEST])
        turn, action = self._directed(body, request[DIGEST], attempt)
        await asyncio.sleep(self._director.wait(request[DIGEST], attempt))
        instead = await self._instead(request, action)
        if instead is not None:
            return instead
        streams = bool(body.get("stream"))
        _say_no(action, streams=streams)
        whole = self._made(body, turn, action, request[ID], request[DIGEST])
        if not streams:
            return await deliver(request, [plain_bytes(whole)], "application/json", action)
        return await deliver(request, events(whole, action), STREAM, action)

    def _directed(self, body: Mapping[str, Any], digest: str, attempt: int) -> tuple[Turn | None, Action | None]:
        turn, model = self._reader.turn(body), str(body["model"])
        action = self._director.action(turn, model, digest, attempt)
        self.stats.turn(turn, model)
        if action:
            self.stats.injected[action.kind] += 1
        return turn, action

    async def _instead(self, request: web.Request, action: Action | None) -> web.StreamResponse | None:
        """What is done instead of an answer; nothing if one is given."""
        match action.kind if action else "":
            case "status":
                _say_no(action, streams=True)
            case "reset_before":
                return tear(request)
            case "hang":
                request[OUTCOME] = "hang"
                await asyncio.Event().wait()
            case "html":
                del request[DIGEST]  # some proxy's page, no answer of ours
                return web.Response(body=PAGE, content_type="text/html")
            case "redirect":
                return web.Response(status=307, headers={"location": str(action and action.redirect)})
        return None

    def _made(
        self, body: Mapping[str, Any], turn: Turn | None, action: Action | None, id: str, digest: str
    ) -> dict[str, Any]:
        """The message of a turn; its tokens are counted and its prefixes cached."""
        formed = shape(answer(turn), action, int(body["max_tokens"]))
        usage = self._cache.usage(body)
        counts = {name: count for name, count in usage.items() if name.endswith("_tokens")}
        counts["output_tokens"] = formed.output_tokens
        self.stats.spend(counts)
        if self._keep:
            self.made.append(Made(id, digest, counts))
        return message(f"msg_{self._number():012d}", str(body["model"]), formed, usage)

    async def _count(self, request: web.Request) -> web.Response:
        body = parsed(await request.read())
        check_body(body, self._told, counting=True)
        return _json(request, {"input_tokens": counted(body)})

    # Models

    async def _models(self, request: web.Request) -> web.Response:
        listed = [_model(one) for one in self._told.models]
        ends = {"first_id": listed[0]["id"], "last_id": listed[-1]["id"], "has_more": False}
        return _json(request, {"data": listed, **ends})

    async def _model(self, request: web.Request) -> web.Response:
        id = request.match_info["id"]
        for one in self._told.models:
            if one.id == id:
                return _json(request, _model(one))
        raise Refused(404, f"model: {id}")

    # Batches

    async def _new_batch(self, request: web.Request) -> web.Response:
        batch = self._batches.create(parsed(await request.read()), self._result)
        return _json(request, batch.told(str(request.url.origin())))

    def _result(self, params: dict[str, Any]) -> dict[str, Any]:
        """The result of one request in a batch. What breaks a connection cannot happen to it."""
        self.stats.batch_turns += 1
        try:
            check_body(params, self._told)
            digest = hashlib.sha256(plain_bytes(params)).hexdigest()
            turn, action = self._directed(params, digest, self._director.attempt(digest))
            _say_no(action, streams=False)
            return {"type": "succeeded", "message": self._made(params, turn, action, "", digest)}
        except Refused as error:
            return {"type": "errored", "error": error.body(f"req_{self._number():012d}")}

    async def _all_batches(self, request: web.Request) -> web.Response:
        listed = [one.told(str(request.url.origin())) for one in self._batches.all()]
        ends = {"first_id": listed[0]["id"], "last_id": listed[-1]["id"]} if listed else {}
        return _json(request, {"data": listed, "has_more": False, **ends})

    async def _batch(self, request: web.Request) -> web.Response:
        return _json(request, self._batches.poll(request.match_info["id"]).told(str(request.url.origin())))

    async def _results(self, request: web.Request) -> web.Response:
        lines = self._batches.lines(request.match_info["id"])
        return web.Response(body=lines, content_type="application/binary", headers={"request-id": request[ID]})

    async def _cancel(self, request: web.Request) -> web.Response:
        return _json(request, self._batches.cancel(request.match_info["id"]).told(str(request.url.origin())))


def _say_no(action: Action | None, *, streams: bool) -> None:
    """Refuse by script. A request that does not stream is told of an overload by its status."""
    if action and action.status is not None:
        words = action.message or f"A status {action.status} by script"
        raise Refused(action.status, words, kind=action.type, code=action.error_code, retry_after=action.retry_after)
    if action and action.kind == "stream_overloaded" and not streams:
        raise Refused(529, "Overloaded")


def _json(request: web.Request, found: Mapping[str, Any]) -> web.Response:
    return web.Response(body=plain_bytes(found), content_type="application/json", headers={"request-id": request[ID]})


def _model(entry: ModelEntry) -> dict[str, Any]:
    retires = entry.retires_at.isoformat() if entry.retires_at else None
    return {
        "type": "model",
        "id": entry.id,
        "display_name": entry.id,
        "created_at": "1970-01-01T00:00:00Z",
        "lifecycle": entry.lifecycle,
        "deprecated_at": None if entry.lifecycle == "active" else "1970-01-01T00:00:00Z",
        "retires_at": retires,
        "capabilities": None,
        "line": None,
        "max_input_tokens": 200_000,
        "max_tokens": 64_000,
    }
