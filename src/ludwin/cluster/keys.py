"""Keys of our own: one authority and one certificate, which all machines of a cluster share.

Why it is here.  Whoever can reach a scheduler can run anything on every worker; that is the nature of the engine.  So
the boundary is TLS: a machine takes part if it has a certificate that our own authority has signed.  The folder of keys
is copied to the machines (on a cluster it lies in a home that they share), and is readable by its owner alone.
"""

import os
import shutil
import stat
import subprocess
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ludwin.errors import BadParameter

AUTHORITY, CERTIFICATE, KEY = "ca.pem", "cert.pem", "key.pem"
DAYS = 3650
HOME = "127.0.0.1"  # this machine alone


def make_keys(folder: Path) -> Path:
    """Write an authority and a certificate into a new folder, mode 700. Raises BadParameter if it holds anything."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadParameter(f"{folder} holds something already; give a new folder for the keys")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.chmod(folder, 0o700)
    try:
        made = _by_cryptography()
    except ImportError:
        made = _by_openssl()
    for name, text in made.items():
        handle = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(text)
    return folder


def _by_cryptography() -> dict[str, bytes]:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    def named(text: str) -> Any:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    began, ends = datetime.now(UTC) - timedelta(days=1), datetime.now(UTC) + timedelta(days=DAYS)
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))

    def signed(name: str, public: Any, is_authority: bool) -> Any:
        builder = (
            x509.CertificateBuilder()
            .subject_name(named(name))
            .issuer_name(named("ludwin authority"))
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(began)
            .not_valid_after(ends)
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), False)
        )
        return builder.sign(authority_key, hashes.SHA256())

    pem = serialization.Encoding.PEM
    authority = signed("ludwin authority", authority_key.public_key(), True)
    certificate = signed("ludwin", key.public_key(), False)
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return {AUTHORITY: authority.public_bytes(pem), CERTIFICATE: certificate.public_bytes(pem), KEY: secret}


def _by_openssl() -> dict[str, bytes]:
    """Make the keys with the program openssl, where `cryptography` is not installed."""
    program = shutil.which("openssl")
    if program is None:
        raise BadParameter("keys are made with openssl or the package cryptography: python -m pip install cryptography")
    with tempfile.TemporaryDirectory() as spare:

        def ask(*words: str) -> None:
            done = subprocess.run([program, *words], cwd=spare, capture_output=True, text=True)
            if done.returncode:
                raise BadParameter(f"openssl {words[0]} failed: {done.stderr.strip().splitlines()[-1:]}")

        curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
        ask("req", "-x509", *curve, "-keyout", "ca-key", "-out", AUTHORITY, "-days", str(DAYS), "-subj", "/CN=ludwin a")
        ask("req", *curve, "-keyout", KEY, "-out", "request", "-subj", "/CN=ludwin")
        signing = ("-CA", AUTHORITY, "-CAkey", "ca-key", "-CAcreateserial", "-days", str(DAYS))
        ask("x509", "-req", "-in", "request", *signing, "-out", CERTIFICATE)
        return {name: (Path(spare) / name).read_bytes() for name in (AUTHORITY, CERTIFICATE, KEY)}


def demand_keys(folder: Path) -> None:
    """Raise BadParameter unless a folder holds keys that only their owner can read."""
    for name in (AUTHORITY, CERTIFICATE, KEY):
        if not (folder / name).is_file():
            raise BadParameter(f"{folder} holds no keys ({name} is missing); `ludwin cluster keys {folder}` makes them")
    mode = (folder / KEY).stat().st_mode
    if os.name != "nt" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise BadParameter(f"{folder / KEY} can be read by others; chmod 600 {folder / KEY}")


def is_loopback(address: str) -> bool:
    """Tell whether an address is this machine's own alone.

    >>> is_loopback("tcp://127.0.0.1:8786"), is_loopback("tls://node1:8786"), is_loopback("127.0.0.1.example.org")
    (True, False, False)
    """
    host = (urlsplit(address if "://" in address else f"tcp://{address}").hostname or "").strip("[]")
    if host in ("localhost", "::1"):
        return True
    parts = host.split(".")
    return len(parts) == 4 and parts[0] == "127" and all(part.isdigit() for part in parts)


def security(address: str, keys: Path | None, insecure: bool) -> Any:
    """Return Dask's Security for an address, None for plain TCP. Raises BadParameter for plain TCP beyond loopback."""
    if keys is None:
        if address.startswith("tls://"):
            raise BadParameter(f"{address} wants keys: --keys DIR (`ludwin cluster keys DIR` makes them)")
        if not is_loopback(address) and not insecure:
            raise BadParameter(
                f"{address} is plain TCP beyond this machine, where anybody could run anything; make keys "
                f"(`ludwin cluster keys DIR`) and use tls:// with --keys DIR"
            )
        return None
    demand_keys(keys)
    if address.startswith("tcp://"):
        raise BadParameter(f"{address} is plain TCP, which needs no keys; with --keys write tls:// instead of tcp://")
    from distributed.security import Security

    pair = {"cert": str(keys / CERTIFICATE), "key": str(keys / KEY)}
    roles = {f"tls_{role}_{what}": path for role in ("client", "worker", "scheduler") for what, path in pair.items()}
    kind: Any = Security
    return kind(require_encryption=True, tls_ca_file=str(keys / AUTHORITY), **roles)
