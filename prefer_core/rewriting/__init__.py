"""Rewriting: from evidence S_t to a short third-person summary whose every sentence is accountable.

`gather` makes the evidence of a round, `Writer` has it written by a model in a process of its own, and `write_template`
writes it without one. See Section contextual-abstractive-rewriting of the paper.
"""

from prefer_core.rewriting.base import Backend, Claim, Evidence, Statement, Summary
from prefer_core.rewriting.evidence import gather
from prefer_core.rewriting.template import write as write_template
from prefer_core.rewriting.writer import Job, Writer, make_writer

__all__ = [
    "Backend",
    "Claim",
    "Evidence",
    "Job",
    "Statement",
    "Summary",
    "Writer",
    "gather",
    "make_writer",
    "write_template",
]
