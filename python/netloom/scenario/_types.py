"""Types of values that many keys share.

A quantity is text: a decimal number with its unit. Each alias carries, for messages, what is expected.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeAlias

Duration: TypeAlias = Annotated[str, 'a span of time such as "10us"']
"""A span of time, in ps, ns, us, ms or s."""

Size: TypeAlias = Annotated[str, 'a size such as "64KiB"']
"""A size, in B, KB, KiB, MB, MiB, GB or GiB."""

Rate: TypeAlias = Annotated[str, 'a rate such as "400Gbps"']
"""A rate, in bps, Kbps, Mbps, Gbps or Tbps."""

Percentage: TypeAlias = Annotated[str, 'a percentage such as "5%"']
"""A fraction, written as a percentage."""

Scale: TypeAlias = Annotated[str, 'a scale such as "1/1000"']
"""A ratio of one to a whole number."""

Data: TypeAlias = Mapping[str, object]
"""A part of a scenario as plain data, in the layout of a scenario file: for what the classes do not express."""
