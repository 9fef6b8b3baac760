"""The page as an ASGI application.

Everything is below /TOKEN/, and without the token every address is unknown. Requests must name this
machine's loopback address as their host, so that no other site can lead a browser here under a name
of its own. No cookies are read: no other page can act in the user's name.
"""

import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pucut._support.html import palette
from pucut.labelling.journal import FIND, GOALS
from pucut.labelling.rows import PICTURES
from pucut.labelling.session import Export, Session, SessionError, row_card, session_status

# The page may load its own files and nothing else, and cannot be shown inside another page.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# A report has a policy of its own inside; here it is isolated from the page's address.
_REPORT_POLICY = "sandbox allow-scripts allow-downloads; frame-ancestors 'none'"
_HEADERS = {
    b"content-security-policy": POLICY.encode(),
    b"referrer-policy": b"no-referrer",  # the token is in the address
    b"x-content-type-options": b"nosniff",
    b"cache-control": b"no-store",
    b"cross-origin-resource-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
}
_FILE_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'"
_ASSETS = {
    "label.css": "text/css; charset=utf-8",
    "label.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_MOST_BYTES = 1 << 16
_MOST_LETTERS = 10_000


@dataclass(frozen=True)
class Surroundings:
    """Settings of the page, besides the session."""

    token: str
    hosts: frozenset[str]  # allowed ones with their ports, as browsers send them
    who: str  # the name proposed to the user
    is_changed: Callable[[], bool] = lambda: False  # has the table changed since it was read?
    exports: Mapping[str, Export] = field(default_factory=dict)  # by file name
    end: Callable[[], None] = lambda: None  # ends the program


def application(session: Session, around: Surroundings) -> ASGIApp:
    pages = _Pages(session, around)
    routes = [
        Route("/", pages.page),
        Route("/status", pages.status),
        Route("/next", pages.next),
        Route("/rows/{row:int}", pages.row),
        Route("/pictures/{row:int}/{column:int}", pages.picture),
        Route("/answers", pages.answer, methods=["POST"]),
        Route("/undo", pages.undo, methods=["POST"]),
        Route("/end", pages.end, methods=["POST"]),
        Route("/exports/{name}", pages.export),
        Route("/{name}", pages.asset),
    ]
    return _Door(Starlette(routes=routes), around)


class _Door:
    """Refuses requests without the token, and adds the policy to every response."""

    def __init__(self, inside: ASGIApp, around: Surroundings) -> None:
        self._inside, self._around = inside, around

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inside(scope, receive, send)
            return

        async def send_more(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                added = [(name, value) for name, value in _HEADERS.items() if name not in present]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None:
            path = scope["path"][1 + len(self._around.token) :]
            scope = {**scope, "path": path, "raw_path": path.encode(), "root_path": ""}
        await (refusal or self._inside)(scope, receive, send_more)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = {name.decode("latin-1"): value for name, value in scope["headers"]}
        token, slash, _ = scope["path"][1:].partition("/")
        if not hmac.compare_digest(token.encode(), self._around.token.encode()) or not slash:
            return PlainTextResponse("There is nothing here.", 404)
        host = headers.get("host", b"").decode("latin-1").lower()
        if host not in self._around.hosts:
            return PlainTextResponse("This address is for this machine only.", 421)
        if scope["method"] != "POST":
            return None
        origin = headers.get("origin", b"").decode("latin-1").lower()
        if origin and origin.removeprefix("http://") not in self._around.hosts:
            return PlainTextResponse("Only the page itself may send answers.", 403)
        if not headers.get("content-type", b"").startswith(b"application/json"):
            return PlainTextResponse("Answers are JSON.", 415)
        length = headers.get("content-length", b"")
        if not length.isdigit() or int(length) > _MOST_BYTES:
            return PlainTextResponse(f"Answers have at most {_MOST_BYTES} bytes.", 413)
        return None


class _Pages:
    """Responses of each address."""

    def __init__(self, session: Session, around: Surroundings) -> None:
        self._session, self._around = session, around

    async def page(self, request: Request) -> Response:
        return Response(_asset("label.html"), media_type="text/html; charset=utf-8")

    async def asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in _ASSETS:
            return PlainTextResponse("There is nothing here.", 404)
        shared = palette() if name == "label.css" else ""
        return Response(shared + _asset(name), media_type=_ASSETS[name])

    async def status(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(self._status))

    async def next(self, request: Request) -> Response:
        client, goal = request.query_params.get("client", ""), request.query_params.get("goal")
        return await self._reply(lambda: self._next(client, goal or FIND))

    async def row(self, request: Request) -> Response:
        row = request.path_params["row"]
        if not 0 <= row < len(self._session.rows):
            return _refused(f"rows are numbered from 0 to {len(self._session.rows) - 1}", 404)
        return await self._reply(lambda: {"card": row_card(self._session, row)})

    async def picture(self, request: Request) -> Response:
        rows = self._session.rows
        row, column = request.path_params["row"], request.path_params["column"]
        if not (0 <= row < len(rows) and 0 <= column < len(rows.columns)):
            return _refused("there is no such cell", 404)
        path = await run_in_threadpool(rows.picture, row, column)
        if path is None:
            return _refused("the cell does not name a picture below the table's folder", 404)
        policy = {"content-security-policy": _FILE_POLICY}
        return FileResponse(path, media_type=PICTURES[path.suffix.lower()], headers=policy)

    async def answer(self, request: Request) -> Response:
        sent = await _json(request)
        try:
            key, who, action = (_text(sent, name) for name in ("key", "who", "action"))
            row = sent.get("row")
            if isinstance(row, bool) or not isinstance(row, int):
                raise SessionError(f"row must be a whole number, found {row!r}")
            note, goal = _text(sent, "note", may_be_empty=True), _text(sent, "goal")
            if goal not in GOALS:
                raise SessionError(f"goal must be one of {', '.join(GOALS)}, found {goal!r}")
        except SessionError as error:
            return _refused(str(error), 400)

        def keep() -> dict[str, Any]:
            self._session.answer(key, who, action, row, note=note, goal=goal)
            if sent.get("stay") is True:
                return self._card_and_status(row)
            return self._next(_text(sent, "client"), goal)

        return await self._changing(keep)

    async def undo(self, request: Request) -> Response:
        sent = await _json(request)

        def take_back() -> dict[str, Any]:
            row = self._session.undo(_text(sent, "key"), _text(sent, "who"))
            return {**self._card_and_status(row), "nothing": row is None}

        return await self._changing(take_back)

    async def end(self, request: Request) -> Response:
        self._around.end()
        return JSONResponse({"ended": True})

    async def export(self, request: Request) -> Response:
        name = request.path_params["name"]
        export = self._around.exports.get(name)
        if export is None:
            return _refused(f"there is no export {name!r}", 404)
        try:
            content = await run_in_threadpool(export.make)
        except ValueError as error:
            return PlainTextResponse(" ".join(str(error).split()), 409)
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        if name.endswith(".html"):
            headers = {"content-security-policy": _REPORT_POLICY}
        return Response(content, media_type=export.kind, headers=headers)

    async def _changing(self, action: Callable[[], dict[str, Any]]) -> Response:
        """Refuse the action if the table has changed: its rows may have moved."""
        if await run_in_threadpool(self._around.is_changed):
            return _refused(
                "The table has changed on the disk since it was read. Nothing was saved: end the "
                "program and start it again.",
                409,
            )
        return await self._reply(action)

    async def _reply(self, action: Callable[[], dict[str, Any]]) -> Response:
        try:
            return JSONResponse(await run_in_threadpool(action))
        except SessionError as error:
            return _refused(str(error), 400)
        except OSError as error:
            return _refused(f"Nothing was saved: {error.strerror or error}", 500)

    def _next(self, client: str, goal: str) -> dict[str, Any]:
        return self._card_and_status(self._session.next_row(client, goal))

    def _card_and_status(self, row: int | None) -> dict[str, Any]:
        card = None if row is None else row_card(self._session, row)
        return {"card": card, "status": self._status()}

    def _status(self) -> dict[str, Any]:
        exports = self._around.exports.items()
        return {
            **session_status(self._session),
            "who": self._around.who,
            "exports": [{"name": name, "about": each.about} for name, each in exports],
            "changed": self._around.is_changed(),
        }


def _refused(text: str, code: int) -> Response:
    return JSONResponse({"error": text}, code)


async def _json(request: Request) -> dict[str, Any]:
    try:
        sent = json.loads(await request.body())
    except ValueError:
        sent = None
    return sent if isinstance(sent, dict) else {}


def _text(sent: Mapping[str, Any], name: str, *, may_be_empty: bool = False) -> str:
    text = sent.get(name, "")
    if not isinstance(text, str) or len(text) > _MOST_LETTERS:
        raise SessionError(f"{name} must be a text of at most {_MOST_LETTERS} letters")
    if not text.strip() and not may_be_empty:
        raise SessionError(f"{name} must not be empty")
    return text.strip()


def _asset(name: str) -> str:
    return files("pucut.labelling").joinpath("assets", name).read_text(encoding="utf-8")
