"""Client and server may be two machines: a certificate, an address that is not loopback, two people at one table."""

import json
import shutil
import socket
import ssl
import subprocess

import pytest

from ludwin.web.client import ApiFailure
from tests.web.conftest import Served

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not shutil.which("openssl"), reason="openssl makes the certificate"),
]


def outward() -> str:
    """The address of this machine by which others see it; loopback if it has no other. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a network of examples (RFC 5737)
            return probe.getsockname()[0]
        except OSError:
            return "127.0.0.1"


def certificate(folder, name: str, address: str):
    """Make a certificate that signs itself."""
    key, cert = folder / f"{name}-key.pem", folder / f"{name}.pem"
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    words += ["-keyout", str(key), "-out", str(cert), "-days", "2", "-subj", f"/CN={name}"]
    subprocess.run([*words, "-addext", f"subjectAltName=IP:{address}"], check=True, capture_output=True)
    return cert, key


@pytest.fixture(scope="module")
def abroad(folder, tmp_path_factory):
    """A server on all addresses of the machine, with TLS; and the certificate by which it is known."""
    keys, address = tmp_path_factory.mktemp("keys"), outward()
    cert, key = certificate(keys, "games", address)
    words = ["--host", "0.0.0.0", "--allow-host", address, "--tls-cert", str(cert), "--tls-key", str(key)]
    made = Served(folder, tmp_path_factory.mktemp("abroad"), *words)
    made.url = f"https://{address}:{made.port}/?token={made.token}"
    made.cert, made.address = cert, address
    yield made
    made.end()


def test_two_people_play_over_an_encrypted_line_and_see_each_others_moves(abroad):
    from websockets.sync.client import connect

    owner = abroad.client(authority=abroad.cert)
    table = owner.post("/tables", {"game": "tic-tac-toe", "seats": ["human", "human"], "seed": 1})
    asked = owner.post(f"/tables/{table['table']}/invite", {"seat": 1})
    guest = abroad.client(asked["token"], authority=abroad.cert)
    trust = ssl.create_default_context(cafile=abroad.cert)
    line = f"wss://{abroad.address}:{abroad.port}/api/v1/ws"
    path = f"/tables/{table['table']}"
    with connect(line, additional_headers={"Authorization": f"Bearer {asked['token']}"}, ssl=trust) as link:
        link.send(json.dumps({"watch": f"table/{table['table']}", "since": guest.get(path)["seq"]}))
        owner.post(f"{path}/moves", {"ply": 0, "move": "b2"})
        assert json.loads(link.recv(20))["view"]["last"]["move"] == "b2"
    view = guest.post(f"{path}/moves", {"ply": 1, "move": "a1"})
    assert [one["move"] for one in view["history"]] == ["b2", "a1"]
    with pytest.raises(ApiFailure) as caught:  # a guest has one seat of one table
        guest.get("/tables")
    assert caught.value.status == 403


def test_a_certificate_of_somebody_else_and_a_plain_line_are_refused(abroad, tmp_path):
    other, _ = certificate(tmp_path, "other", abroad.address)
    with pytest.raises(ssl.SSLCertVerificationError):
        abroad.client(authority=other).get("/about")
    with socket.create_connection((abroad.address, abroad.port), timeout=20) as link:
        link.sendall(f"GET /api/v1/about HTTP/1.1\r\nHost: {abroad.address}:{abroad.port}\r\n\r\n".encode())
        assert not link.recv(4096).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    ("host", "more", "status"),
    [
        ("{0}:{1}", "", 200),
        ("localhost:{1}", "", 200),  # this machine, by its own name
        ("evil.example:{1}", "", 421),
        ("{0}:{1}", "Origin: http://{0}:{1}\r\n", 403),  # the same name without TLS is another site
        ("{0}:{1}", "Origin: https://{0}:{1}\r\n", 200),
    ],
)
def test_names_and_origins_are_checked_behind_tls_too(abroad, host, more, status):
    where = abroad.address, abroad.port
    trust = ssl.create_default_context(cafile=abroad.cert)
    text = f"GET /api/v1/about HTTP/1.1\r\nHost: {host}\r\n{more}Connection: close\r\n".format(*where)
    with trust.wrap_socket(socket.create_connection(where, timeout=20), server_hostname=abroad.address) as link:
        link.sendall(f"{text}Authorization: Bearer {abroad.token}\r\n\r\n".encode())
        assert int(link.recv(4096).split()[1]) == status


def test_the_cookie_is_for_encrypted_lines_alone(abroad):
    trust = ssl.create_default_context(cafile=abroad.cert)
    where = abroad.address, abroad.port
    with trust.wrap_socket(socket.create_connection(where, timeout=20), server_hostname=abroad.address) as link:
        link.sendall(f"GET /?token={abroad.token} HTTP/1.1\r\nHost: {where[0]}:{where[1]}\r\n\r\n".encode())
        assert b"; Secure" in link.recv(4096)


def test_two_browsers_play_each_other_over_tls(abroad):
    from tests.web.test_browser import MISSING, walk

    if MISSING:
        pytest.skip(MISSING)
    facts = walk(abroad, "two", patience=60000, ownCertificate=True)
    assert facts == {"places": 0, "other": 403, "refused": 422, "ply": 2}
