"""A certificate for servers of the tests."""

from __future__ import annotations

import datetime as dt
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

STARTTLS_ADDRESS = "127.0.0.3"
"""Of the loopback interface, and none that the workbench takes for its own machine."""


def write_certificate(folder: Path) -> Path:
    """A certificate that vouches for itself, for names of this machine; beside it `key.pem`. Gives its path."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "server of the tests")])
    now = dt.datetime.now(dt.UTC)
    addresses = [x509.IPAddress(ipaddress.ip_address(each)) for each in ("127.0.0.1", STARTTLS_ADDRESS)]
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), *addresses])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(minutes=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(names, critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    path = folder / "certificate.pem"
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return path
