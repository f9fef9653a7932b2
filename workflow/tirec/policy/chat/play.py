"""Plays cases against an endpoint, many side by side, and hands them back in their order."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterable, Iterator
from typing import Any

from tirec.agent.cases import Case
from tirec.config.agent import ProtocolConfig
from tirec.config.chat import ChatConfig
from tirec.policy.chat.account import Account
from tirec.policy.chat.cache import AnswerCache, request_key
from tirec.policy.chat.client import ChatClient
from tirec.policy.chat.completion import Completion
from tirec.policy.chat.conversation import Conversation
from tirec.policy.chat.prompts import ChatPrompts

_AHEAD = 4  # episodes begun per concurrent one, so that a long episode at the front does not empty the line


class Asker:
    """Answers a request from the cache or by the server, never sends one twice, and keeps the account."""

    def __init__(self, client: ChatClient, cache: AnswerCache, account: Account, mode: str, weights: str = "") -> None:
        self._client = client
        self._cache = cache
        self._account = account
        self._identity = (mode, weights)
        self._asked: dict[str, asyncio.Task[Completion]] = {}

    async def ask(self, body: dict[str, Any]) -> Completion:
        """The answer to a request; equal requests at the same time are sent once."""
        key = request_key(body, *self._identity)
        kept = self._cache.get(key)
        if kept is not None:
            self._account.note(key, kept, cached=True)
            return kept
        if key not in self._asked:
            self._asked[key] = asyncio.create_task(self._send(key, body))
        return await self._asked[key]

    async def _send(self, key: str, body: dict[str, Any]) -> Completion:
        try:
            answer = await self._client.complete(body)
            self._account.note(key, answer, cached=False)
            self._cache.put(key, answer)
        finally:
            del self._asked[key]
        return answer


class Player:
    """Plays the cases of one chat model."""

    def __init__(self, config: ChatConfig, rules: ProtocolConfig, prompts: ChatPrompts, asker: Asker) -> None:
        self._config = config
        self._rules = rules
        self._prompts = prompts
        self._asker = asker

    def play(self, cases: Iterable[Case], runner: asyncio.Runner) -> Iterator[tuple[Case, Conversation]]:
        """Finished conversations in the order of the cases, while later ones go on."""
        played = self._in_order(cases)

        async def next_one() -> tuple[Case, Conversation] | None:
            return await anext(played, None)

        try:
            while (finished := runner.run(next_one())) is not None:
                yield finished
        finally:
            runner.run(played.aclose())

    async def _in_order(self, cases: Iterable[Case]) -> AsyncGenerator[tuple[Case, Conversation], None]:
        room = asyncio.Semaphore(self._config.concurrency)
        begun: deque[asyncio.Task[tuple[Case, Conversation]]] = deque()
        try:
            for case in cases:
                begun.append(asyncio.create_task(self._play_one(case, room)))
                if len(begun) >= _AHEAD * self._config.concurrency:
                    yield await begun.popleft()
            while begun:
                yield await begun.popleft()
        finally:
            for task in begun:
                task.cancel()
            await asyncio.gather(*begun, return_exceptions=True)

    async def _play_one(self, case: Case, room: asyncio.Semaphore) -> tuple[Case, Conversation]:
        async with room:
            conversation = Conversation(case, self._config, self._rules, self._prompts)
            while not conversation.episode.finished:
                conversation.take(await self._asker.ask(conversation.request()))
        return case, conversation
