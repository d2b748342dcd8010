#!/usr/bin/env python3
"""Runs the kogge command as a user would, and compares with what Python makes of the same numbers.

KOGGE_COMMAND names the program; arguments go to unittest (command_test.py Sort.test_bits).
"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

from command.columns_test import Columns, Pieces
from command.compact_scan_test import Compact, Scan
from command.complete_or_nothing_test import CompleteOrNothing
from command.external_sort_test import ExternalSort, Resumed
from command.failures_test import Failures
from command.formats_test import Formats
from command.histogram_test import Histogram
from command.others_test import Bench, Demo, Info
from command.outputs_test import Outputs
from command.sort_test import Sort
from command.top_k_unique_test import TopK, Unique

if __name__ == "__main__":
    unittest.main()
