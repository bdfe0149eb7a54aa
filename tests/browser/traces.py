"""Traces in text form for the browser tests: hostile names, many findings, many operations."""

HOSTILE = "</script><script>window.hacked = 1</script><img src=x onerror=window.hacked=1> <!-- \\u003c &lt;"


def story():
    """A race with an event that is recorded too late, every name full of markup."""
    return "\n".join([
        f'process 7 "app {quoted(HOSTILE)}"',
        f'function f1 1 "{quoted(HOSTILE)}"',
        "alloc d 1024", "alloc p 1024 pinned",
        "stream s1", f'name s1 "{quoted(HOSTILE)}"',
        "record e1 s1", "copy s1 d <- p 1024", "wait s2 e1", "kernel s2 f1 reads d",
        "context_sync c1", "host_read p 4", "free d", "exit 0", ""])


def quoted(text):
    return text.replace("\\", "\\\\").replace('"', '\\"')


def many_findings(count):
    """As many races, each of its own two operations."""
    lines = ["alloc p 4096 pinned"]
    for i in range(count):
        lines += [f"alloc d{i} 4096", f"copy s{1 + i % 6} d{i} <- p 4096",
                  f"copy s{10 + i % 5} p -> d{i} 16" if i % 2 else f"kernel s{10 + i % 5} reads d{i}"]
    return "\n".join(lines + ["context_sync c1", "exit 0", ""])


def many_ops(count):
    """A long, clean run over several streams, and one race in its middle."""
    lines = ["alloc d 4096", "alloc p 4096 pinned", "alloc x 4096 pinned"]
    for i in range(count // 4):
        s = 1 + i % 8
        lines += [f"kernel s{s} step{s}", f"record e{s} s{s}", f"wait s{1 + (i + 1) % 8} e{s}",
                  "host_write x 4"]
        if i == count // 8:
            lines += ["copy s20 d <- p 4096", "kernel s21 reads d"]
    return "\n".join(lines + ["context_sync c1", "exit 0", ""])
