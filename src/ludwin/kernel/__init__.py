"""How one plain Python source becomes plain, checked and fast (after shared measurements, see
docs/ideas/kernels.md).
"""
