"""The doubles: device models at the other end of the wire."""

from tablectl_drivers.otdp.double_both import ShufflerShoeDouble
from tablectl_drivers.otdp.double_reader import ReaderDouble
from tablectl_drivers.otdp.double_shaker import ShakerDouble
from tablectl_drivers.otdp.double_shoes import CardShoeDouble, StackShoeDouble
from tablectl_drivers.otdp.double_shuffler import ShufflerDouble

__all__ = ["CardShoeDouble", "ReaderDouble", "ShakerDouble", "ShufflerDouble", "ShufflerShoeDouble", "StackShoeDouble"]
