"""Function optimisation as a domain: what lies where is said in `ludwin.rules.folder`."""

from ludwin.games import look_in

__getattr__ = look_in(__name__)
