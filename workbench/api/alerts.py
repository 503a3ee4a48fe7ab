"""The call by which alerting systems send alerts."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.authentication import get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, ParseError
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from workbench.alerts.models import AlertSource
from workbench.alerts.payload import PayloadRefused
from workbench.alerts.services import MOST_BODY_BYTES, Outcome, alerts_receive
from workbench.alerts.token import token_in
from workbench.api.errors import BodyTooLarge
from workbench.api.serializers import ErrorSerializer
from workbench.languages.sentences import say, say_stored, to_say

TAKEN = inline_serializer(
    "AlertsTaken",
    {
        "alerts": serializers.ListField(
            child=inline_serializer(
                "AlertTaken",
                {
                    "name": serializers.CharField(),
                    "status": serializers.ChoiceField(["firing", "resolved"]),
                    "case": serializers.IntegerField(allow_null=True),
                    "url": serializers.URLField(allow_null=True),
                    "reason": serializers.CharField(allow_blank=True),
                },
            )
        )
    },
)


class AlertIntake(APIView):
    """Accepts only the source's own token, which is valid nowhere else."""

    authentication_classes: list[Any] = []
    permission_classes = [AllowAny]
    parser_classes: list[Any] = []

    @extend_schema(
        operation_id="send_alerts",
        summary=to_say("Send alerts of a listed source; `Authorization: Bearer` with the source's token"),
        request=OpenApiTypes.OBJECT,
        responses={202: TAKEN, 400: ErrorSerializer, 401: ErrorSerializer, 413: ErrorSerializer},
    )
    def post(self, request: Request, source: str) -> Response:
        listed = AlertSource.objects.listed().select_related("team", "owner", "cluster").filter(slug=source).first()
        secret = token_in(get_authorization_header(request).decode("latin-1"))
        if listed is None or not listed.opens_with(secret):
            raise AuthenticationFailed(say("There is no such source, or this is not its token."))
        try:
            outcomes = alerts_receive(source=listed, body=_body(request._request))
        except PayloadRefused as error:
            raise ParseError(say_stored(str(error))) from None
        return Response({"alerts": [_taken(request, each) for each in outcomes]}, status=202)

    def get_authenticate_header(self, request: Request) -> str:
        """Makes the refusal a 401."""
        return "Bearer"


def _body(request: HttpRequest) -> bytes:
    length = request.headers.get("Content-Length", "")
    too_large = BodyTooLarge(say("A message of alerts has at most {most:,} bytes.", most=MOST_BODY_BYTES))
    if length.isdecimal() and int(length[:12]) > MOST_BODY_BYTES:
        raise too_large
    body = request.read(MOST_BODY_BYTES + 1)
    if len(body) > MOST_BODY_BYTES:
        raise too_large
    return body


def _taken(request: Request, outcome: Outcome) -> dict[str, Any]:
    case = outcome.case
    return {
        "name": outcome.alert.name,
        "status": "firing" if outcome.alert.is_firing else "resolved",
        "case": case.pk if case else None,
        "url": request.build_absolute_uri(case.get_absolute_url()) if case else None,
        "reason": say_stored(outcome.reason),
    }
