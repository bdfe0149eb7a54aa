"""Tests that race, and tests that do not; what each comes to stands in test_pytest.py."""
import os
import signal
import warnings

import pytest


def test_clean(device):
    device.fetch(device.stream)
    device.wait()
    device.upload(None)


def test_race(device):
    device.fetch(device.stream)
    device.upload(None)  # race


@pytest.mark.streamcheck(allow=["SC-106"])
def test_allowed(device):
    device.fetch(device.stream)
    device.upload(None)


def suppressed_upload(device):
    device.upload(None)


def test_suppressed(device):
    device.fetch(device.stream)
    suppressed_upload(device)


def test_dies(device):
    device.fetch(device.stream)
    os.kill(os.getpid(), signal.SIGSEGV)


def test_fails(device):
    device.fetch(device.stream)
    assert device.size.value == 1


def test_warns(device):
    device.wait()
    warnings.warn("a warning of the test", RuntimeWarning)


@pytest.mark.skip(reason="skipped in every way")
def test_skipped(device):
    device.fetch(device.stream)


@pytest.mark.streamcheck(enabled=False)
def test_unchecked():
    assert "libstreamcheck.so" not in os.environ.get("LD_PRELOAD", "")


@pytest.mark.parametrize("name", ["one::two", "a b"])
def test_without_cuda(name):
    assert name
    assert "libstreamcheck.so" in os.environ["LD_PRELOAD"]


@pytest.mark.streamcheck(require_cuda=True)
def test_wants_cuda():
    pass
