"""What every client's script shares: the models, the cases' protocol, and checks that read as sentences.

One JSON line says that a case begins; the driver answers with a line, so that it knows whose bytes it sees; one says how it ended.
"""
import asyncio
import json
import os
import signal
import sys
import time
import traceback
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

MODELS = json.loads((Path(__file__).parent.parent / "models.json").read_text())
URL = os.environ["GATEWAY"]
OPENAI_URL = f"{URL}/v1"
KEY = os.environ["KEY"]
WRONG_KEY = "sk-test-nobody-has-this-key-0123456789"
UNKNOWN_MODEL = "no-such-model"
QUICK = os.environ.get("QUICK") == "1"
CASE_SECONDS = 40
FILTER = os.environ.get("CASE", "")

HELLO = "Say hello to the harbour"
WEATHER = "What is the weather in Paris? [[twin:tool]]"
# One black pixel.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg=="
WEATHER_SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}

_cases = []


class CaseTimeout(Exception):
    """The case took too long."""


def case(name, work, *arguments, **named):
    """Adds a case; the work may be a coroutine function."""
    _cases.append((name, lambda: work(*arguments, **named)))


def each(name, work, *arguments, rest=False, **named):
    """A case for each of the four models; with `rest` for every chat model of the catalogue, unless it has to be quick."""
    for label, model in MODELS["chat"].items():
        case(f"{name}, {label}", work, *arguments, model=model, **named)
    if rest and not QUICK:
        for model in MODELS["rest"]:
            case(f"{name}, {model}", work, *arguments, model=model, **named)


def each_faulty(name, work, *arguments, **named):
    """A case for each of the four models that vendors' faults are tried with; each begins with a healthy one."""

    def begin(model):
        wait_until_healthy(model)
        return work(*arguments, model=model, **named)

    for label, model in MODELS["faulty"].items():
        case(f"{name}, {label}", begin, model=model)


def all_at_once(name, work, *arguments):
    """One case for the four models, asked at the same time: for what takes long."""

    def ask_all():
        with ThreadPoolExecutor() as pool:
            asked = {label: pool.submit(work, *arguments, model=model) for label, model in MODELS["chat"].items()}
        failed = {label: _told(future.exception()) for label, future in asked.items() if future.exception()}
        check(not failed, "; ".join(f"{label}: {error}" for label, error in failed.items()))

    case(f"{name}, all models", ask_all)


def wait_until_healthy(model):
    """A fault takes an offer out for some seconds: waits until it answers. Goes past the relay."""
    body = {"model": model, "messages": [{"role": "user", "content": "hello"}]}
    for _ in range(40):
        try:
            ask("POST", "/v1/chat/completions", body, url=os.environ["GATEWAY_ITSELF"])
            return
        except urllib.error.HTTPError:
            time.sleep(0.25)
    raise AssertionError(f"{model} did not get well again")


def ask(method, path, body=None, url=URL):
    """The gateway's own answer as JSON, without any client."""
    request = urllib.request.Request(
        f"{url}{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"authorization": f"Bearer {KEY}", "content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as reply:
        return json.load(reply)


def check(holds, what):
    """Fails the case with what was seen."""
    if not holds:
        raise AssertionError(what if isinstance(what, str) else repr(what))


def check_said(text, *parts):
    """The answer has these parts."""
    for part in parts or (HELLO,):
        check(part in (text or ""), f"the answer lacks {part!r}: {text!r}")


def check_raises(work, *classes, refuses=()):
    """The call raises one of these exceptions; gives it back. `refuses` names classes that would be the wrong ones."""
    try:
        answer = work()
    except Exception as error:  # noqa: BLE001
        if isinstance(error, CaseTimeout):
            raise
        fits = isinstance(error, classes) and not (refuses and isinstance(error, tuple(refuses)))
        check(fits, f"raised {type(error).__module__}.{type(error).__name__}, not {names(classes)}: {error}")
        return error
    raise AssertionError(f"raised nothing, gave {answer!r}"[:600])


def check_status(error, status, *allowed):
    """The exception has one of these statuses."""
    check(status in allowed, f"status {status}, expected {' or '.join(map(str, allowed))}: {error}")


def check_status_and_kind(error, status, kind, pairs):
    """Status and type of a refusal agree: SDKs choose their class and their retries by the status."""
    check((status, kind) in pairs, f"status {status} with type {kind!r} do not agree: {error}")


def names(classes):
    return " or ".join(each_class.__name__ for each_class in classes)


def _too_long(*_):
    raise CaseTimeout(f"took more than {CASE_SECONDS} seconds")


def _say(**line):
    # Standard output belongs to the protocol: what a client prints goes to standard error.
    _out.write(json.dumps(line) + "\n")
    _out.flush()


_out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def versions_of(*packages):
    return ", ".join(f"{package} {version(package)}" for package in packages)


def run(client, *packages):
    """Runs all cases added so far, one after the other."""
    signal.signal(signal.SIGALRM, _too_long)
    # One loop for all: clients keep connections that belong to the loop they were made in.
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    what = versions_of(*packages) if packages else client
    _say(client=client, version=what)
    for name, work in _cases:
        if FILTER not in name:
            continue
        _say(begin=name)
        sys.stdin.readline()
        began = time.monotonic()
        error = None
        signal.alarm(CASE_SECONDS)
        try:
            result = work()
            if asyncio.iscoroutine(result):
                loop.run_until_complete(result)
        except BaseException as caught:  # noqa: BLE001
            if isinstance(caught, KeyboardInterrupt):
                raise
            error = _told(caught)
        finally:
            signal.alarm(0)
        _say(case=name, ok=error is None, error=error, seconds=round(time.monotonic() - began, 2))
    _say(end=True)
    # Clients leave threads and connections behind; nothing of theirs is worth waiting for.
    os._exit(0)


def _told(caught):
    """The exception, where it came from, and what caused it."""
    lines = []
    error = caught
    while error is not None and len(lines) < 4:
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
        nested = [sub for sub in getattr(error, "exceptions", [])]
        lines.append(f"{type(error).__module__}.{type(error).__name__}: {str(error)[:900]} ({place})")
        error = nested[0] if nested else error.__cause__ or error.__context__
    return " <- ".join(lines)
