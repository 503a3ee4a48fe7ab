"""Sign-in by OpenID Connect and LDAP; groups of the provider are mapped to teams and roles."""
