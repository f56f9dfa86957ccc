"""Experiments: published tables re-run by one command, and studies that nobody has printed yet."""
