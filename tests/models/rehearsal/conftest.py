from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from harness.models.rehearsal.wire import MessagesRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.ports import ModelRequest


@pytest.fixture
def received() -> Callable[[ModelRequest], MessagesRequest]:
    """A request as the service reads it from the wire."""

    def convert(request: ModelRequest) -> MessagesRequest:
        body = {"model": request.model, "max_tokens": request.max_tokens, "messages": request.messages}
        return MessagesRequest.model_validate_json(json.dumps({**body, "system": request.system, "tools": request.tools}))

    return convert
