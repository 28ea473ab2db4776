# SPDX-License-Identifier: Apache-2.0
"""rhomb from Python: pictures of what it measures (rhomb-plot) and the papers' experiments (rhomb-papers)."""

__version__ = "0.1.0"
