"""Feed every target with odd input for some time: `make fuzz SECONDS=60`.

Inputs are put together at random from what the target knows, and changed at random. With `atheris`
installed, a part of the time goes to inputs that are led by which lines they reach. It prints what
was tried of each target, and the faults; it ends with 1 if there is any.
"""

import importlib.util
import random
import re
import subprocess
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.hostile.targets import TARGETS, Target

SLOW_SECONDS = 2.0  # of work; no input that is tried here is worth as much
LONGEST = 4_000  # bytes of an input
MOST_FAULTS = 5  # shown of each target


@dataclass
class Tried:
    """How many inputs a target was fed with, and what went wrong."""

    inputs: int = 0
    faults: list[str] = field(default_factory=list[str])


def main(arguments: Sequence[str]) -> int:
    seconds = float(arguments[0]) if arguments else 60.0
    seed = int(arguments[1]) if len(arguments) > 1 else random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    guided = importlib.util.find_spec("atheris") is not None
    share = seconds / len(TARGETS) / (2 if guided else 1)
    total, faults = 0, 0
    for name, target in TARGETS.items():
        tried = fuzz(target, random.Random(f"{seed} {name}"), share)
        led = lead(name, share) if guided else Tried()
        print(f"{name:15} {tried.inputs:10,} at random {led.inputs:10,} led", flush=True)
        for fault in (tried.faults + led.faults)[:MOST_FAULTS]:
            print(fault)
        total += tried.inputs + led.inputs
        faults += len(tried.faults) + len(led.faults)
    print(f"{total:,} inputs to {len(TARGETS)} targets, {faults} faults")
    return 1 if faults else 0


def fuzz(target: Target, draw: random.Random, seconds: float) -> Tried:
    tried, ends = Tried(), time.monotonic() + seconds
    while time.monotonic() < ends:
        data = make_input(target, draw)
        began = time.process_time()
        try:
            target.check(data)
        except Exception:  # noqa: BLE001  # whatever it is, it is what we look for
            last = traceback.format_exc().splitlines()[-3:]
            tried.faults.append(f"  {data!r:.1000}\n    " + "\n    ".join(last))
        if (took := time.process_time() - began) > SLOW_SECONDS:
            tried.faults.append(f"  took {took:.1f} s: {data[:200]!r}")
        tried.inputs += 1
    return tried


def make_input(target: Target, draw: random.Random) -> bytes:
    """Put pieces together, some of them many times, and spoil some bytes."""
    made = bytearray()
    for _ in range(draw.choice((1, 2, 5, 12, 40))):
        piece = draw.choice(target.pieces) if draw.random() < 0.9 else draw.randbytes(3)
        made += piece * draw.choice((1, 1, 1, 1, 2, 3, 50))
        if len(made) > LONGEST:
            break
    for _ in range(draw.choice((0, 0, 1, 3)) if made else 0):
        at = draw.randrange(len(made) + 1)
        made[at : at + draw.choice((0, 1, 4))] = draw.randbytes(draw.choice((0, 1, 2)))
    return bytes(made[:LONGEST])


def lead(name: str, seconds: float) -> Tried:
    """Let atheris make the inputs, in a process of its own."""
    command = [sys.executable, "-m", "tests.hostile.guided", name, str(max(1, round(seconds)))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    counted = re.findall(r"#(\d+)\s|Done (\d+) runs", done.stderr)
    inputs = max((int(one or other) for one, other in counted), default=0)
    if done.returncode == 0:
        return Tried(inputs)
    return Tried(inputs, [done.stderr[-1_500:]])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
