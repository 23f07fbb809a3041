"""A llama.cpp server of its own process: `python llama_server.py MODEL KEY` prints its address; ends with its stdin."""

import os
import sys


def main(model: str, key: str) -> None:
    """Serve until stdin ends."""
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = model
    settings.api_keys = [key]
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    settings.n_ctx, settings.n_parallel = 16384, 2
    settings.warmup = False
    settings.verbosity = 0
    server = xllamacpp.Server(settings)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # the server's own threads would keep it


if __name__ == "__main__":
    main(*sys.argv[1:])
