"""One request to an OpenAI-compatible server: sent through the guard, tried again when that may help, told in one line.

No message of this module holds a word of what was sent or answered: servers echo prompts in their errors.
"""

import asyncio
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt, wait_exponential_jitter

from tirec.config.chat import RetriesConfig
from tirec.errors import TirecError
from tirec.policy.chat.completion import Completion, MalformedReplyError, read_completion, unwritten

_BUSY = frozenset({408, 409, 425, 429})
_CODE = re.compile(r"[A-Za-z_]{1,60}")
_TOO_LONG = re.compile(r"maximum context length|context.length.exceeded|context window|prompt is too long", re.I)
_REFUSED = frozenset({"content_filter", "content_policy_violation", "invalid_prompt"})


class EndpointError(TirecError):
    """A server that cannot be asked."""


class BusyError(EndpointError):
    """A fault that may pass: tried again, after `retry_after` seconds where the server named a time."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ChatClient:
    """Sends requests to one endpoint; `key` never leaves the header."""

    def __init__(
        self, http: httpx.AsyncClient, base_url: str, key: str | None, timeout_s: float, retries: RetriesConfig
    ) -> None:
        self._http = http
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._timeout_s = timeout_s
        self._retries = retries
        self._backoff = wait_exponential_jitter(
            multiplier=retries.first_wait_s, max=retries.longest_wait_s, jitter=retries.first_wait_s
        )

    async def complete(self, body: dict[str, Any]) -> Completion:
        """The server's answer; raises EndpointError where it gives none, however often it is asked."""
        trying = AsyncRetrying(
            stop=stop_after_attempt(self._retries.attempts),
            wait=self._wait,
            retry=retry_if_exception_type(BusyError),
            reraise=True,
        )
        try:
            return await trying(self._once, body)
        except BusyError as fault:
            raise EndpointError(f"{fault}; given up, the answers so far are kept") from None

    def _wait(self, state: RetryCallState) -> float:
        """Seconds until the next try: what the server asked for, else doubling; both with jitter."""
        fault = state.outcome.exception() if state.outcome else None
        asked = fault.retry_after if isinstance(fault, BusyError) else None
        return (asked or 0.0) + self._backoff(state)

    async def _once(self, body: dict[str, Any]) -> Completion:
        try:
            async with asyncio.timeout(self._timeout_s):
                reply = await self._http.post(self._url, json=body, headers=self._headers)
        except (TimeoutError, httpx.TimeoutException):
            raise BusyError(f"{self._url}: no answer within {self._timeout_s:g} s") from None
        except httpx.RequestError as fault:
            raise BusyError(f"{self._url}: {type(fault).__name__}") from None
        return self._answer(reply)

    def _answer(self, reply: httpx.Response) -> Completion:
        if reply.status_code != httpx.codes.OK:
            return self._declined(reply)
        try:
            return read_completion(reply.json())
        except MalformedReplyError as fault:
            raise BusyError(f"{self._url}: a reply that is no chat completion ({fault})") from None
        except (ValueError, RecursionError):
            raise BusyError(f"{self._url}: a reply that is not JSON") from None

    def _declined(self, reply: httpx.Response) -> Completion:
        """What an error status means: an outcome of the case, a fault that may pass, or the end of the run."""
        status, (code, message) = reply.status_code, _error(reply)
        if status in (400, 413, 422) and _TOO_LONG.search(f"{code} {message}"):
            return unwritten("too_long")
        if status == 400 and code in _REFUSED:
            return unwritten("refused")
        if code == "insufficient_quota":
            raise EndpointError(f"{self._url}: the quota of this key is used up; the answers so far are kept")
        if status in _BUSY or status >= 500:
            raise BusyError(f"{self._url}: status {status}", self._patience(_retry_after(reply.headers)))
        meaning = _ELSEWHERE if 300 <= status < 400 else _MEANING.get(status, "refused")
        raise EndpointError(f"{self._url}: {meaning} (status {status}{code and f', {code}'})")

    def _patience(self, asked: float | None) -> float | None:
        if asked is not None and asked > self._retries.longest_retry_after_s:
            raise EndpointError(f"{self._url}: asks to wait {asked:.0f} s; run again then, the answers so far are kept")
        return asked


_ELSEWHERE = "sends on to another address; redirects are not followed, name the final one"
_MEANING = {
    400: "does not accept the request; see decoding.extra in docs/models.md",
    401: "does not know this key (key_env)",
    403: "does not allow this key to ask this model",
    404: "knows no such model or path (base_url ends in /v1)",
}


def _error(reply: httpx.Response) -> tuple[str, str]:
    """The error's code, if it is a plain word, and its message, which is never shown."""
    try:
        body = reply.json()
    except (ValueError, RecursionError):
        return "", ""
    found = body.get("error", body) if isinstance(body, dict) else {}
    found = found if isinstance(found, dict) else {"message": found}
    code = str(found.get("code") or found.get("type") or "")
    return code if _CODE.fullmatch(code) else "", str(found.get("message", ""))


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a Retry-After header asks for, given as a number or as a date."""
    asked = headers.get("retry-after")
    if not asked:
        return None
    try:
        return max(float(asked), 0.0)
    except ValueError:
        pass
    try:
        return max((parsedate_to_datetime(asked) - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, TypeError):
        return None
