# SPDX-License-Identifier: Apache-2.0
"""What rhomb raises: a class for each exit code of the program, `exit_code`, and all of them `Error`."""

import builtins


class Error(Exception):
    """All that rhomb raises of itself; as such, a defect of rhomb or of what it stands on."""

    exit_code = 1


class UsageError(Error, ValueError):
    """Something was asked for that does not exist, or does not fit."""

    exit_code = 2


class InputError(Error, ValueError):
    """A file or a text is not what it should be."""

    exit_code = 3
    file = ""  # that it was read from
    record = ""  # its name
    line = 0  # 1-based; 0 where no line applies


class OutputError(Error, OSError):
    """What was to be written cannot be."""

    exit_code = 3


class DeviceError(Error, RuntimeError):
    """There is no device, or a call to one has failed."""

    exit_code = 4


class MemoryError(Error, builtins.MemoryError):
    """The memory of the host or of a device does not suffice."""

    exit_code = 5


class CheckError(Error, RuntimeError):
    """A self-test or a check found a wrong answer."""

    exit_code = 6
