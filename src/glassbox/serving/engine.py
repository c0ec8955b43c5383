"""A serving engine as a queue of events: requests come, steps end, caches arrive at another machine.

A machine works in steps. In one step every answer that is being written gets its next token, and prompts are
read beside them; the step takes longer the more rows of work and the more kept tokens it has. While nobody
comes or goes the steps are alike, so a run of them is one event; an arrival cuts the run at the next step's
end, for nobody is let in in the middle of a step. Machines do not wait for one another, so each has a queue
of its own; what a reading machine has done is what comes to the writing one.

One request alone, a step of 10 ms and 1 ms for each row of work: a prompt of five rows, then a second token:

    >>> from glassbox.serving.latency import Policy, Request, Server
    >>> waits = simulate([Request(0.0, prompt=5, answer=2)], Server(step=0.010, per_row=0.001), Policy())
    >>> round(waits.first.longest, 6), [round(w, 6) for w in waits.gaps.seconds.tolist()]
    (0.015, [0.011])

For one user at a time with requests of one size this is the queue M/D/1, whose mean wait is known; a test
compares the two.

Sources: Yu et al. 2022, *Orca* (joining and leaving at every step); Agrawal et al. 2024, *Sarathi-Serve*
(prompts in chunks); Zhong et al. 2024, *DistServe* (reading and writing on separate machines).
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Sequence

import numpy as np

from glassbox.serving.latency import Policy, Request, Server, Times, Waits


class _Log:
    """What is noted while the requests run."""

    def __init__(self, asked: Sequence[Request]) -> None:
        self.asked = asked
        self.first = [0.0] * len(asked)
        self.finished = [0.0] * len(asked)
        self.runs: list[tuple[float, float, int, int]] = []  # first step, growth, steps, waits in each
        self.single: list[float] = []

    def waits(self) -> Waits:
        step, growth, steps, people = np.array(self.runs, np.float64).reshape(-1, 4).T
        # A run whose steps grow is as many waits as it has steps; one of equal steps is one, had often.
        waits = np.where(growth > 0, steps, 1).astype(np.intp)  # 32 bits in a browser
        run = np.repeat(np.arange(len(waits)), waits)
        nth = np.arange(len(run)) - np.repeat(np.cumsum(waits) - waits, waits)
        gaps = [np.asarray(self.single), step[run] + growth[run] * nth]
        counts = [np.ones(len(self.single)), np.where(growth > 0, people, people * steps)[run]]
        each = zip(self.asked, self.first, self.finished, strict=True)
        averages = [(end - first) / (r.answer - 1) for r, first, end in each if r.answer > 1]
        first = [f - r.arrival for f, r in zip(self.first, self.asked, strict=True)]
        all_gaps = Times.of(np.concatenate(gaps), np.concatenate(counts))
        return Waits(Times.of(first), all_gaps, Times.of(averages), tuple(self.finished))


class _Machine:
    """One machine: who waits, whose prompt is being read, who is written for."""

    def __init__(
        self, server: Server, policy: Policy, log: _Log, reads: bool = True, writes: bool = True
    ) -> None:
        self.server, self.policy, self.log = server, policy, log
        self.reads, self.writes = reads, writes
        self.waiting: deque[int] = deque()
        self.reading: deque[list[int]] = deque()  # [request, prompt tokens still to read]
        self.writing: list[tuple[int, int]] = []  # heap of (step after which it is done, request)
        self.joined: list[int] = []  # written for since the last step, after a delay
        self.steps_done = 0
        self.kept = 0  # tokens whose cache a step fetches, or, without a cache, works through
        self.run = (0.0, 0.0, 0.0, 0)  # the one under way: start, first step, growth, steps
        self.read_now: list[list[int]] = []  # [request, tokens] of the run under way

    def serve(self, comes: Sequence[tuple[float, int]]) -> list[tuple[float, int]]:
        """Works until all are served.

        Args:
            comes: When each request comes, in order, and which it is.

        Returns:
            When each prompt had been read whose answer goes on, and whose it was.
        """
        at, now = 0, 0.0
        have_read: list[tuple[float, int]] = []
        times = [*(time for time, _ in comes), math.inf]
        while True:
            while times[at] <= now:
                self.waiting.append(comes[at][1])
                at += 1
            end = self.begin(now)
            if end is None:
                if (now := times[at]) == math.inf:
                    return have_read
                continue
            while times[at] < end:
                self.waiting.append(comes[at][1])
                if self.policy.continuous and self.has_room:
                    end = self.interrupt(times[at], end)
                at += 1
            have_read += [(end, r) for r in self.end(end)]
            now = end

    def begin(self, now: float) -> float | None:
        """Starts a run of steps; returns when it ends, or None where there is nothing to do."""
        if self.waiting:
            self._admit()
        rows = self._plan_reading() if self.reading else 0
        writers = len(self.writing)
        if not writers and not rows:
            return None
        s, cached = self.server, self.policy.cache
        work = rows + (writers if cached else self.kept)
        first = s.step + s.per_row * work + (s.per_kept * self.kept if cached else 0.0)
        taken = self._whole_chunks(rows) if rows else 0
        growth = (writers + (rows if taken else 0)) * s.per_kept if cached else writers * s.per_row
        steps = self._alike(rows, taken)
        self.run = (now, first, growth, steps)
        return now + _lasts(first, growth, steps)

    @property
    def has_room(self) -> bool:
        """Whether one more request can be worked on."""
        return len(self.writing) + len(self.reading) < self.server.batch

    def _admit(self) -> None:
        policy = self.policy
        if not policy.continuous and (self.writing or self.reading):
            return
        while self.waiting and self.has_room:
            r = self.waiting.popleft()
            if not self.reads:
                self._write(r)
                continue
            prompt = self.log.asked[r].prompt
            left = max(1, round(prompt * (1 - policy.shared)))
            self.reading.append([r, left])
            self.kept += prompt - left

    def _plan_reading(self) -> int:
        """Chooses the prompt tokens of the next step, those that came first first; returns how many."""
        budget = self.policy.chunk
        if budget is None:
            self.read_now = [list(each) for each in self.reading]
            return sum(left for _, left in self.reading)
        self.read_now, rows = [], 0
        for r, left in self.reading:
            take = min(left, budget - rows)
            if not take:
                break
            self.read_now.append([r, take])
            rows += take
        return rows

    def _whole_chunks(self, rows: int) -> int:
        """For how many steps one prompt alone fills the budget; 0 where it does not."""
        if len(self.read_now) != 1 or rows != self.policy.chunk:
            return 0
        return self.reading[0][1] // rows

    def _alike(self, rows: int, whole_chunks: int) -> int:
        """How many steps are alike from here on: until a prompt is read or an answer is written."""
        if self.joined or (rows and not whole_chunks):
            return 1
        if not self.writing:
            return whole_chunks
        until_one_is_written = self.writing[0][0] - self.steps_done
        return min(whole_chunks, until_one_is_written) if rows else until_one_is_written

    def _write(self, r: int) -> None:
        """Takes a request up whose first token is written and whose cache is here."""
        asked = self.log.asked[r]
        heapq.heappush(self.writing, (self.steps_done + asked.answer - 1, r))
        self.kept += asked.prompt + 1
        if not self.reads:
            self.joined.append(r)  # its cache has travelled, and it may have waited for room

    def interrupt(self, now: float, end: float) -> float:
        """Cuts the run under way after the step that ``now`` lies in; returns its end, which was ``end``."""
        start, first, growth, steps = self.run
        if steps == 1 or (done := _steps_by(now - start, first, growth)) >= steps:
            return end
        self.run = (start, first, growth, done)
        return start + _lasts(first, growth, done)

    def end(self, now: float) -> list[int]:
        """Ends the run: tokens are written and people leave. Returns whose prompt has been read just now."""
        start, first, growth, steps = self.run
        writers = len(self.writing)
        going_on = writers - len(self.joined)
        if self.joined:
            self.log.single += [start + first - self.log.first[r] for r in self.joined]
            self.joined = []
        if going_on:
            self.log.runs.append((first, growth, steps, going_on))
        self.steps_done += steps
        self.kept += writers * steps
        while self.writing and self.writing[0][0] <= self.steps_done:
            self._leave(heapq.heappop(self.writing)[1], now)
        return self._have_read(now, steps) if self.read_now else []

    def _have_read(self, now: float, steps: int) -> list[int]:
        ready = []
        for r, taken in self.read_now:
            self.reading[0][1] -= taken * steps
            self.kept += taken * steps
            if not self.reading[0][1]:
                self.reading.popleft()
                ready.append(r)
        self.read_now = []
        for r in ready:
            self.kept -= self.log.asked[r].prompt
            self.log.first[r] = now
            if self.log.asked[r].answer == 1:
                self.log.finished[r] = now
            elif self.writes:
                self._write(r)
        return [r for r in ready if self.log.asked[r].answer > 1]

    def _leave(self, r: int, now: float) -> None:
        self.log.finished[r] = now
        asked = self.log.asked[r]
        self.kept -= asked.prompt + asked.answer


def simulate(asked: Sequence[Request], server: Server, policy: Policy) -> Waits:
    """Runs all requests through an engine.

    Args:
        asked: The requests, in order of arrival.
        server: What a step costs.
        policy: How the engine decides who is worked on.
    """
    log = _Log(asked)
    comes = [(r.arrival, n) for n, r in enumerate(asked)]
    for which in range(policy.machines):
        machine = _Machine(server, policy, log, writes=not policy.apart)
        have_read = machine.serve(comes[which :: policy.machines])
        if policy.apart:
            sent = ((at + server.hand_over * (asked[r].prompt + 1), r) for at, r in have_read)
            _Machine(server, policy, log, reads=False).serve(sorted(sent, key=lambda each: each[0]))
    return log.waits()


def _lasts(first: float, growth: float, steps: int) -> float:
    """Seconds that ``steps`` steps take, each ``growth`` longer than the one before."""
    return steps * first + growth * steps * (steps - 1) / 2


def _steps_by(elapsed: float, first: float, growth: float) -> int:
    """The step, counted from 1, that is under way after ``elapsed`` seconds."""
    if growth <= 0:
        steps = math.ceil(elapsed / first) if first else 1
    else:
        a = first - growth / 2
        steps = math.ceil((math.sqrt(a * a + 2 * growth * elapsed) - a) / growth)
    if steps < 1:
        steps = 1
    while _lasts(first, growth, steps) < elapsed:
        steps += 1
    return steps
