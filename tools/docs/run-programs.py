"""Runs programs one after the other and says of each what it printed: one JSON line per file given. The portal’s examples are run by it."""

import contextlib
import io
import json
import sys
import traceback

for file in sys.argv[1:]:
    with open(file, encoding="utf-8") as source:
        code = source.read()
    outcome = {"file": file}
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(code, file, "exec"), {"__name__": "__main__"})
        outcome["output"] = printed.getvalue()
    except BaseException:
        outcome["error"] = traceback.format_exc(limit=-3)[-4000:]
    sys.__stdout__.write(json.dumps(outcome) + "\n")
    sys.__stdout__.flush()
