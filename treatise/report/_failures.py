"""Methods that did not finish, gathered by what stopped them: a reason that many share is told once."""

import re
from collections.abc import Sequence
from typing import Any

from treatise.report.record import Failure

KINDS = {
    "error": "an error",
    "time": "out of time",
    "memory": "too little memory",
    "not applicable": "does not apply",
}
NUMBER = re.compile(r"\d[\d.,]*")


def failures_view(failures: Sequence[Failure]) -> list[dict[str, Any]]:
    """Groups of failures, the largest first; reasons that differ in numbers or in the method's name are one."""
    groups: dict[tuple[str, str], list[Failure]] = {}
    for failure in failures:
        alike = NUMBER.sub("#", failure.reason.replace(failure.label, "it") if failure.label else failure.reason)
        groups.setdefault((failure.kind, alike), []).append(failure)
    ordered = sorted(groups.values(), key=lambda group: -len(group))
    return [
        {
            "kind": KINDS.get(group[0].kind, group[0].kind),
            "reason": group[0].reason,
            "same": len({failure.reason for failure in group}) == 1,
            "methods": group,
        }
        for group in ordered
    ]
