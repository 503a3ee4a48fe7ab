"""What the provider says of a person beside the id."""

from __future__ import annotations

from typing import Any

from oauth2_provider.oauth2_validators import OAuth2Validator

from tests.workbench.sign_in.oidc_provider import GROUPS


class Claims(OAuth2Validator):  # type: ignore[misc]
    oidc_claim_scope = None

    def get_additional_claims(self, request: Any) -> dict[str, Any]:
        person = request.user
        return {
            "preferred_username": person.username,
            "given_name": person.first_name,
            "email": person.email,
            "groups": GROUPS[person.username],
        }
