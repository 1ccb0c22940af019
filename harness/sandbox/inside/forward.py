"""A program of the agent's with a way to the model's service: an address of this container's own becomes the harness's socket.

The container has no network and no key; what the relay at the socket's other end passes on is decided there.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading

SOCKET = "/run/harness/relay.sock"
NO_KEY = "the-relay-has-the-key"


def main() -> int:
    """Run the program named by the arguments with the address in its environment; its exit code."""
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    threading.Thread(target=_accept, args=(listener,), daemon=True).start()
    told = {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_BASE": address, "ANTHROPIC_API_KEY": NO_KEY}
    code = subprocess.run(sys.argv[1:], env={**os.environ, **told}, check=False).returncode
    return 128 - code if code < 0 else code


def _accept(listener: socket.socket) -> None:
    while True:
        inner, _ = listener.accept()
        outer = socket.socket(socket.AF_UNIX)
        try:
            outer.connect(SOCKET)
        except OSError:
            inner.close()
            outer.close()
            continue
        for source, target in ((inner, outer), (outer, inner)):
            threading.Thread(target=_pump, args=(source, target), daemon=True).start()


def _pump(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue


if __name__ == "__main__":
    sys.exit(main())
