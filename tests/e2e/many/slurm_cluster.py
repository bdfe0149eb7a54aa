"""A cluster of Slurm's own programs on this machine: munged, slurmctld and slurmd with a private folder, private ports on
the loopback device, and one node that takes several tasks. As root, since slurmd wants to be."""
import os
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "sinfo", "squeue", "scancel", "setpriv")
PLACES = os.pathsep.join(["/usr/sbin", os.environ.get("PATH", "")])

CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmdPort={node_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 Port={node_port} CPUs=4 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=10 State=UP
"""


def what_is_missing():
    """Why there can be no cluster here, or None."""
    missing = [name for name in PROGRAMS if not shutil.which(name, path=PLACES)]
    if missing:
        return f"{', '.join(missing)}: not installed (tools/setup.sh all)"
    return None if os.geteuid() == 0 else "slurmd wants to be run by root"


def free_ports(count):
    """Ports that nobody listens on."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    """Runs while its `with` block does; the daemons are ended in every case."""

    def __init__(self, folder):
        self.folder = folder
        self.daemons = []
        self.env = {**os.environ, "SLURM_CONF": os.path.join(folder, "slurm.conf"), "PATH": PLACES}

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, *words):
        """A daemon that stays in the foreground, in a group of its own, which is ended with the cluster, or by the kernel if
        this process is killed."""
        with open(self.path(words[0] + ".log"), "wb") as log:
            self.daemons.append(subprocess.Popen(["setpriv", "--pdeathsig=TERM", "--", *words], env=self.env,
                                                 stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True))

    def until(self, what, condition):
        """Waits for what a daemon does; what ends the wait otherwise is that a daemon ends, or the test's limit."""
        while not condition():
            ended = [one for one in self.daemons if one.poll() is not None]
            if ended:
                raise RuntimeError(f"{what}: a daemon of Slurm ended with {ended[0].returncode}\n{self.said()}")
            time.sleep(0.05)

    def said(self):
        """The last lines of each daemon's log."""
        text = ""
        for name in sorted(os.listdir(self.folder)):
            if name.endswith(".log"):
                with open(self.path(name), encoding="utf-8", errors="replace") as file:
                    text += f"== {name}\n" + "".join(file.readlines()[-15:])
        return text

    def ask(self, *words):
        return subprocess.run(words, env=self.env, capture_output=True, text=True, check=False)

    def version(self):
        """The first number of Slurm's version, which is a year."""
        return int(self.ask("slurmd", "-V").stdout.split()[-1].partition(".")[0])

    def __enter__(self):
        try:
            self.begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def begin(self):
        port, node_port = free_ports(2)
        host = socket.gethostname().split(".")[0]
        for name in ("state", "spool"):
            os.mkdir(self.path(name))
        with open(self.path("slurm.conf"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(host=host, port=port, node_port=node_port, folder=self.folder))
        if self.version() >= 23:  # else it needs control groups, which a container may not have; 22 cannot be asked to do without
            with open(self.path("cgroup.conf"), "w", encoding="utf-8") as file:
                file.write("CgroupPlugin=disabled\n")
        with open(self.path("munge.key"), "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(os.urandom(128))
        self.start("munged", "--foreground", "--force", f"--socket={self.path('munge.socket')}",
                   f"--key-file={self.path('munge.key')}", f"--pid-file={self.path('munged.pid')}",
                   f"--seed-file={self.path('munged.seed')}")
        self.until("munge", lambda: os.path.exists(self.path("munge.socket")))
        self.start("slurmctld", "-D", "-i")
        self.start("slurmd", "-D")
        self.until("the node", lambda: self.ask("sinfo", "--noheader", "--format=%T").stdout.strip() == "idle")

    def wait_for_jobs(self):
        """Until no job waits or runs."""
        self.until("jobs", lambda: not self.ask("squeue", "--noheader").stdout.strip())

    def __exit__(self, *_):
        if len(self.daemons) == 3 and all(one.poll() is None for one in self.daemons):
            self.ask("scancel", "--user=root")
        for one in reversed(self.daemons):
            try:
                os.killpg(one.pid, signal.SIGTERM)
            except ProcessLookupError:
                pass
            try:
                one.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(one.pid, signal.SIGKILL)
                one.wait()
