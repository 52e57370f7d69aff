"""The machine that something is measured on, and the memory of this process."""

import os
import platform
import resource
import sys
from functools import cache
from pathlib import Path

_CPU = Path("/proc/cpuinfo")
_STATUS = Path("/proc/self/status")


@cache
def machine() -> str:
    """Return system, processor, cores and memory, such as ``Linux x86_64, AMD EPYC 7B13, 2 cores, 8 GiB``."""
    import psutil

    parts = [f"{platform.system()} {platform.machine()}", _told("model name"), f"{os.cpu_count()} cores"]
    memory = f"{psutil.virtual_memory().total / 2**30:.0f} GiB"
    return ", ".join(part for part in (*parts, memory) if part)


def may_have_bf16() -> bool:
    """Say whether the processor has units for bf16: no only where the system lists its features and none is for it."""
    features = _told("flags") or _told("Features")
    return "bf16" in features or not features


def _told(what: str) -> str:
    """Return what the system tells of its first processor under this name, or "" (it is no reason to fail)."""
    try:
        lines = _CPU.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(what)), "")


def usable_cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def resident() -> float:
    """Return the resident memory of this process in MiB."""
    import psutil

    return float(psutil.Process().memory_info().rss / 2**20)


def peak() -> float:
    """Return the highest resident memory of this process so far in MiB."""
    # Linux: getrusage would count what the parent had when it started this process.
    try:
        status = _STATUS.read_text(encoding="utf-8")
        highest = next(int(line.split()[1]) / 2**10 for line in status.splitlines() if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        # ru_maxrss is in KiB, but in bytes on macOS.
        unit = 2**20 if sys.platform == "darwin" else 2**10
        highest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    # Either may lag behind by a moment.
    return max(highest, resident())
