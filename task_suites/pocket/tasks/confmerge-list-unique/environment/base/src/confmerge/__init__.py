"""Layered configuration that can say where each value came from."""

from confmerge.config import Config, load
from confmerge.errors import ConfigError
from confmerge.merge import Layer, ListStrategy

__all__ = ["Config", "ConfigError", "Layer", "ListStrategy", "load"]
