"""A client of `racecard serve`, in the standard library only.

    client = Client("http://127.0.0.1:7411")
    client.remaining("nightly-index", progress=0.4, tokens=50)["p90"]      # seconds
    run = client.run("run-17", "nightly-index", deadline_s=2700, slots=4, max_executors=50)
    run.decide(now_s=120, executors=10, done=[1, 0.4, 0]).executors        # executors to hold
    run.end()

A scheduler must not fail because its adviser does: Run.decide keeps the executors that are held when the server is down, slow or
wrong, and says why. All other calls raise RacecardError.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence

__version__ = "1.0.0"
__all__ = ["Client", "Decision", "RacecardError", "Run"]

_MOST = 64 << 20  # bytes of an answer


class RacecardError(Exception):
    """The server refused, or could not be asked. status is that of HTTP, 0 where there is none."""

    def __init__(self, text: str, status: int = 0) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True)
class Decision:
    """An answer of the control loop. Times are seconds since the start of the run; None is not known."""

    executors: int
    tokens: int
    hold: bool
    why: str
    progress: Optional[float]
    early_s: Optional[float]
    end_s: Optional[float]
    late_s: Optional[float]
    risk: Optional[float]
    period_s: float
    generation: int


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the token elsewhere."""

    def redirect_request(self, *_args: Any) -> None:
        return None


class Client:
    """A server of tables. timeout_s bounds every call."""

    def __init__(self, url: str, token: Optional[str] = None, timeout_s: float = 2.0) -> None:
        self._url, self._token, self._timeout = url.rstrip("/"), token, timeout_s
        self._opener = urllib.request.build_opener(_NoRedirects)

    def jobs(self) -> List[Dict[str, Any]]:
        """The jobs that have a table."""
        return self._json("GET", "/v1/jobs")["jobs"]

    def remaining(self, job: str, progress: float, tokens: float, quantile: Optional[float] = None, elapsed_s: Optional[float] = None,
                  since_s: Optional[float] = None) -> Dict[str, float]:
        """Remaining seconds by quantile. With elapsed_s the answer knows the age of the run."""
        query = {"job": job, "progress": progress, "tokens": tokens, "quantile": quantile, "elapsed_s": elapsed_s, "since_s": since_s}
        given = {k: v for k, v in query.items() if v is not None}
        return self._json("GET", "/v1/remaining?" + urllib.parse.urlencode(given))["remaining_s"]

    def remaining_batch(self, queries: Sequence[Dict[str, Any]]) -> List[Dict[str, Any]]:
        """Many look-ups, all answered from one generation of tables."""
        return self._json("POST", "/v1/remaining", {"queries": list(queries)})["answers"]

    def admit(self, tokens: int, jobs: Sequence[Dict[str, Any]], arrange: bool = False) -> Dict[str, Any]:
        """Whether jobs fit next to each other: each has job and deadline_s, and perhaps start_s, progress and worth."""
        return self._json("POST", "/v1/admit", {"tokens": tokens, "jobs": list(jobs), "arrange": arrange})

    def table(self, job: str, parquet: bool = False) -> bytes:
        """The file of a table: Arrow IPC, or Parquet."""
        kind = "application/vnd.apache.parquet" if parquet else "application/vnd.apache.arrow.file"
        return self._send("GET", "/v1/tables/" + urllib.parse.quote(job, safe=""), None, kind)

    def run(self, app: str, job: str, deadline_s: float, slots: int = 1, min_executors: int = 0, max_executors: int = 0) -> "Run":
        """The control loop of one run. app names it, once and for all."""
        return Run(self, {"app": app, "job": job, "deadline_s": deadline_s, "slots": slots, "min_executors": min_executors,
                          "max_executors": max_executors})

    def _json(self, method: str, path: str, body: Optional[Dict[str, Any]] = None) -> Dict[str, Any]:
        data = self._send(method, path, body, "application/json")
        try:
            doc = json.loads(data)
        except ValueError as e:
            raise RacecardError("the answer is no JSON") from e
        if not isinstance(doc, dict):
            raise RacecardError("the answer is no JSON object")
        return doc

    def _send(self, method: str, path: str, body: Optional[Dict[str, Any]], accept: str) -> bytes:
        request = urllib.request.Request(self._url + path, method=method, headers={"Accept": accept})
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        if self._token:
            request.add_header("Authorization", "Bearer " + self._token)
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                data = answer.read(_MOST + 1)
        except urllib.error.HTTPError as e:
            text = e.read(1 << 16)
            try:
                detail = str(json.loads(text)["detail"])
            except (ValueError, KeyError, TypeError):
                detail = e.reason
            raise RacecardError(f"{method} {path}: {e.code} {detail}", e.code) from None
        except (OSError, ValueError) as e:
            raise RacecardError(f"{method} {path}: {e}") from e
        if len(data) > _MOST:
            raise RacecardError(f"{method} {path}: an answer of more than {_MOST} bytes")
        return data


class Run:
    """The control loop of one run."""

    def __init__(self, client: Client, fixed: Dict[str, Any]) -> None:
        self._client, self._fixed = client, fixed

    def decide(self, now_s: float, executors: int, done: Optional[Sequence[float]] = None, progress: Optional[float] = None,
               stages: Optional[Sequence[Dict[str, Any]]] = None) -> Decision:
        """One step, of a run that holds so many executors. Its state is given as the fractions of the stages of the plan that are
        done, as its progress, or as the stages of the engine. Where there is no answer the decision is to hold."""
        state = {"now_s": now_s, "executors": executors, "done": None if done is None else list(done), "progress": progress,
                 "stages": None if stages is None else list(stages)}
        try:
            d = self._client._json("POST", "/v1/decide", {**self._fixed, **state})
            return Decision(int(d["executors"]), int(d["tokens"]), bool(d["hold"]), str(d["why"]), d["progress"], d["early_s"], d["end_s"],
                            d["late_s"], d["risk"], float(d["period_s"]), int(d["generation"]))
        except (RacecardError, KeyError, TypeError, ValueError) as e:
            return Decision(executors, executors * max(1, self._fixed["slots"]), True, str(e), None, None, None, None, None, 60.0, 0)

    def end(self) -> None:
        """Tell the server that the run has ended; no answer is no error."""
        try:
            self._client._json("DELETE", "/v1/apps/" + urllib.parse.quote(self._fixed["app"], safe=""))
        except RacecardError:
            pass
