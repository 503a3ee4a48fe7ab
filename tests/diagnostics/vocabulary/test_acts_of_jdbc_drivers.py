"""What the drivers of PostgreSQL and SQL Server say themselves is shown with the act that repairs it."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import remedy_of, shown_by_message

PG = "org.postgresql.util.PSQLException: "
MS = "com.microsoft.sqlserver.jdbc.SQLServerException: "


@pytest.mark.parametrize(
    ("said", "named"),
    [
        (PG + "Could not open SSL root certificate file /certs/ca.pem.", "sslrootcert"),
        (PG + "Could not read SSL key file /certs/client.key.", "PKCS-8"),
        (PG + "Could not decrypt SSL key file /certs/client.pk8.", "sslpassword"),
        (PG + 'private key file "k" has group or world access; file must have permissions u=rw (0600)', "0400"),
        (PG + "The hostname db could not be verified by hostnameverifier PgjdbcHostnameVerifier.", "verify-ca"),
        (PG + "The server does not support SSL.", "sslmode=disable"),
        (PG + "Invalid sslmode value: verify", "verify-full"),
        (PG + "Channel Binding is required, but server did not offer it.", "channelBinding=prefer"),
        (PG + "SCRAM authentication failed: x", "com.ongres.scram"),
        (PG + "Could not find a server with specified targetServerType: primary", "pg_is_in_recovery"),
        (PG + "Result set exceeded maxResultBuffer limit. Received: 2; Current limit: 1", "scan.fetch-size"),
        (PG + "GSS Authentication failed", "gssEncMode=disable"),
        (PG + "The server's client_encoding parameter was changed to GBK. The JDBC driver requires UTF8", "SET"),
        (PG + "Zero bytes may not occur in string parameters.", "BYTEA"),
        (PG + "Invalid character data was found.  This is most likely caused by stored data", "SQL_ASCII"),
        (PG + "Unable to parse URL postgres://db/shop", "jdbc:postgresql://"),
        (PG + "Server does not support temporary replication slots", "slot.drop.on.stop"),
        (PG + "Unable to find server array type for provided name INTEGER.", "int4"),
        (MS + "The driver received an unexpected pre-login response. Verify the connection properties", "1433"),
        (
            MS + "The connection to the host db, named instance SQLEXPRESS failed. Verify the server and instance names"
            " and check that no firewall is blocking UDP traffic to port 1434.",
            "fixed port",
        ),
        (
            MS + "SQL Server login requires an encrypted connection that uses Secure Sockets Layer (SSL).",
            "encrypt=true",
        ),
        (
            MS + 'Failed to validate the server name "db"in a certificate during Secure Sockets Layer (SSL)'
            " initialization.",
            "hostNameInCertificate",
        ),
        (MS + "Server Certificate has expired: x", "renewed"),
        (MS + "Failed to load MSAL4J Java library for performing ActiveDirectoryPassword", "msal4j"),
        (MS + "Cannot login with Kerberos principal flink, check your credentials.", "JavaKerberos"),
        (MS + "SSL encryption cannot be used with a network packet size larger than 16383 bytes.", "packetSize"),
        (MS + "MaxResultBuffer property exceeded: 1", "maxResultBuffer"),
    ],
)
def test_a_message_of_a_driver_names_its_act(said: str, named: str) -> None:
    assert named in (remedy_of(said) or "")


def test_a_value_the_server_cannot_store_is_the_record_s() -> None:
    assert shown_by_message(PG + "Zero bytes may not occur in string parameters.") == "record"
