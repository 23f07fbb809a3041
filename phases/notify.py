"""What happens when a run ends, however it ends: metrics, a webhook, a command. None of them can change the run."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from urllib.parse import urlsplit

from phases.core.budget import MICROS, spent_by
from phases.core.config import environment_without, secret
from phases.core.errors import RebuttalError, StoreError, UsageError
from phases.core.recorder import utc_now
from phases.core.store import VARIABLE, Store
from phases.core.text import printable
from phases.outputs.metrics import FILE, metrics_text
from phases.outputs.tables import write_whole
from schemas.notice import RunNotice
from schemas.operation import NotifySettings
from schemas.run import RunHeader, RunRecord
from schemas.settings import Settings

SHARED_FILE = "rebuttal.prom"
"""Name of the metrics of the latest end in the folder that `operation.metrics_dir` names."""

OUTCOMES = {0: "finished", 1: "finished", 3: "ceiling", 130: "interrupted"}

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Ending:
    """Who is told, and of what."""

    header: RunHeader
    store: Store
    out: Path
    tell: Tell
    """Prints one line where somebody could not be told."""

    def told(self, record: RunRecord | None, error: BaseException | None) -> None:
        """Tell of an end. Writes files, starts a process and reaches the network, as configured."""
        operation, notify = self.header.settings.operation, self.header.settings.notify
        notice = self._notice(record, error)
        folders = [Path(record.out) / FILE] if record else []
        folders += [Path(operation.metrics_dir) / SHARED_FILE] if operation.metrics_dir else []
        for path in folders:
            try:
                write_whole(path, metrics_text(notice))
            except OSError as trouble:
                self.tell(f"note: {path} was not written ({trouble.strerror})")
        if notify.on == "always" or notice.exit or notice.alarms:
            text = notice.model_dump_json()
            for name, why in (("webhook", _posted(notify, text)), ("command", self._run(notify, text))):
                if why is not None:
                    self.tell(f"note: notify.{name}: {printable(why)}; the run is as it was")

    def _notice(self, record: RunRecord | None, error: BaseException | None) -> RunNotice:
        header, folder = self.header, (self.out / self.header.run_id).resolve()
        code, words = (record.exit, None) if record else _said(error)
        alarms = record.health.alarms if record and record.health else ()
        feed = folder / "feed.csv"
        return RunNotice.model_validate(
            {
                "schema_version": "1",
                "run_id": header.run_id,
                "night": header.as_of,
                "engine": header.engine,
                "protocol": header.settings.debate.protocol,
                "ended": utc_now(),
                "outcome": OUTCOMES.get(code, "failed"),
                "exit": code,
                "reason": words,
                "alarms": tuple(one.text for one in alarms),
                "cost_usd": record.cost_usd if record else self._cost(),
                "out": str(folder),
                "feed": str(feed) if record and feed.is_file() else None,
                "record": record,
            }
        )

    def _cost(self) -> float | None:
        try:
            return spent_by(self.store, self.header.run_id).micros / MICROS
        except StoreError:
            return None

    def _run(self, notify: NotifySettings, text: str) -> str | None:
        """Carry out the command; why it failed, if it did."""
        if not notify.command:
            return None
        return _carried_out(
            notify.command,
            text,
            notify.timeout_seconds,
            environment_without(self.header.settings.provider.key, VARIABLE),
        )


NO_ANSWER = {
    "SSL": "no valid certificate, or no TLS",
    "Certificate": "no valid certificate",
    "DNS": "its host is not found",
    "Connector": "it cannot be connected to",
    "Disconnected": "connection lost before an answer",
}
"""What kept a notice from being answered, by what the error's name holds; its text may hold the address."""


def _said(error: BaseException | None) -> tuple[int, str]:
    """Exit code and words of what ended a run."""
    if isinstance(error, KeyboardInterrupt):
        return 130, "interrupted"
    code = error.exit_code if isinstance(error, RebuttalError) else 4
    return code, printable(str(error)) or type(error).__name__


@contextmanager
def ending(header: RunHeader, store: Store, out: Path, tell: Tell) -> Iterator[Callable[[RunRecord], None]]:
    """Whatever ends what is done meanwhile, tell of it; what is yielded takes the record of a run that reached its end.

    Raises UsageError for a webhook that may not be used, before anything is done.
    """
    address(header.settings.notify)
    records: list[RunRecord] = []
    end = Ending(header, store, out, tell)
    try:
        yield records.append
    except BaseException as error:
        end.told(None, error)
        raise
    end.told(records[-1], None)


def unusable(settings: Settings) -> Iterator[tuple[str, str]]:
    """What of the notices and metrics of an end cannot be used as things are, and its remedy. Reads the environment."""
    try:
        address(settings.notify)
    except UsageError as error:
        yield str(error), ""
    program = next(iter(settings.notify.command), None)
    if program is not None and shutil.which(program) is None:
        yield f"notify.command: there is no program {program}", "name one that is on the PATH, or give its whole path"
    folder = settings.operation.metrics_dir
    if folder is not None and not os.access(folder, os.W_OK | os.X_OK):
        yield f"operation.metrics_dir: {folder} cannot be written", "make the folder, or give the right to write there"


def address(notify: NotifySettings) -> str | None:
    """Where the notice is sent. Raises UsageError, which never repeats it: it may be secret. Reads the environment."""
    url = notify.webhook
    if url is None:
        return None
    if url.startswith("$"):
        name, url = url[1:], secret(url[1:])
        if url is None:
            raise UsageError(f"notify.webhook: the environment variable {printable(name)} is not set; set it")
    from phases.providers.anthropic.hosts import is_loopback

    try:
        parts = urlsplit(url)
        host, whole = parts.hostname or "", bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        whole = False
    if not whole or not (url.isascii() and url.isprintable()) or " " in url:
        raise UsageError("notify.webhook: must be an address such as https://HOST/PATH, or $NAME")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(host)):
        raise UsageError(f"notify.webhook: {host} must be reached by https; only a loopback address may be http")
    return url


def _posted(notify: NotifySettings, text: str) -> str | None:
    """Send the notice; why it failed, if it did. Reaches the network."""
    url = address(notify)
    if url is None:
        return None
    import aiohttp

    try:
        status = asyncio.run(_post(url, text, notify.timeout_seconds))
    except TimeoutError:
        return f"no answer within notify.timeout_seconds = {notify.timeout_seconds:g}"
    except (aiohttp.ClientError, OSError, ValueError) as error:
        return next((words for kind, words in NO_ANSWER.items() if kind in type(error).__name__), "no answer")
    return None if 200 <= status < 300 else f"HTTP {status}" + ", a redirect" * (300 <= status < 400)


async def _post(url: str, text: str, seconds: float) -> int:
    import aiohttp

    async with asyncio.timeout(seconds), aiohttp.ClientSession() as session:
        headers = {"content-type": "application/json"}
        async with session.post(url, data=text.encode(), headers=headers, allow_redirects=False) as answer:
            return answer.status


def _carried_out(command: tuple[str, ...], text: str, seconds: float, env: Mapping[str, str]) -> str | None:
    with TemporaryFile() as given, TemporaryFile() as said:
        given.write(text.encode())
        given.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603 (the operator's own words, and no shell)
                command, stdin=given, stdout=subprocess.DEVNULL, stderr=said, env=env, start_new_session=True
            )
        except (OSError, ValueError) as error:
            return f"{command[0]}: {getattr(error, 'strerror', None) or error}"
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            return f"{command[0]}: ended after notify.timeout_seconds = {seconds:g}"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        said.seek(0)
        lines = said.read(10_000).decode(errors="replace").strip().splitlines()
        return f"{command[0]}: exit code {code}" + (f": {lines[-1][:200]}" if lines else "") if code else None
