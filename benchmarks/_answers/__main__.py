"""One peer's answer on one table, in a process of its own: a line of JSON."""

import argparse
import json
import time

from benchmarks._answers.contenders import Question, quietly
from benchmarks._answers.peers import PEERS
from benchmarks._answers.processor import ProcessorClock
from benchmarks._answers.tables import TABLES, held_table

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("peer", choices=PEERS)
parser.add_argument("table", choices=TABLES)
parser.add_argument("division", type=int)
parser.add_argument("budget", type=float)
parser.add_argument("jobs", type=int)
options = parser.parse_args()
question = Question(held_table(options.table, options.division), options.jobs)
clock = ProcessorClock(options.jobs)
before, start = clock(), time.monotonic()
found = quietly(lambda: PEERS[options.peer](question, options.budget, clock))
print(json.dumps({**found, "seconds": clock() - before, "wall": time.monotonic() - start}))
