"""A model on this machine that names the kinds of memories, as a test wants it to."""

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import cast

from tests.providers.serving import Asked, Endpoint, Reply, serve

from winnow.memory import Memory
from winnow.providers.llm import ChatModel
from winnow.providers.server import Server
from winnow.values import Json

PATIENCE = 5.0
"""Seconds after which a question counts as unanswered; no test gets there unless it hangs."""


@contextmanager
def answering(
    name_kind: Callable[[str], str | None], timeout: float = PATIENCE
) -> Generator[tuple[ChatModel, Endpoint]]:
    """Serve a model that is given the text of each memory; None is an answer of status 500."""

    def respond(asked: Asked) -> Reply:
        word = name_kind(text_of(asked))
        if word is None:
            return Reply({"error": {"message": "out of order"}}, 500)
        message: Json = {"role": "assistant", "content": word}
        return Reply({"choices": [{"index": 0, "message": message}]})

    with serve(respond) as endpoint:
        yield (
            ChatModel(Server(f"{endpoint.url}/chat/completions", None), "small", timeout),
            endpoint,
        )


def text_of(asked: Asked) -> str:
    """The text of the memory that a question is about."""
    messages = cast("list[dict[str, str]]", asked.body["messages"])
    return cast(str, json.loads(messages[-1]["content"])["text"])


def with_model(memory: Memory, model: ChatModel | None) -> Memory:
    """The same store, with a model set up."""
    return Memory(replace(memory.engine, model=model))
