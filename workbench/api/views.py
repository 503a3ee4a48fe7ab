"""Version 1 of the HTTP API: find the object for this user, check the input, call one service, answer."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import UploadedFile as ReceivedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound, PermissionDenied
from rest_framework.generics import GenericAPIView
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import AllowAny
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from workbench.analyses.models import AnalysisStatus
from workbench.analyses.reading import document_read
from workbench.analyses.selectors import latest_analyses
from workbench.analyses.services import lost_analysis_recover
from workbench.analyses.submission import case_submit, files_submit
from workbench.api.authentication import SignedInApiRequest
from workbench.api.documentation import operations
from workbench.api.serializers import (
    CaseDetailSerializer,
    CaseFilterSerializer,
    CaseSerializer,
    ErrorSerializer,
    MoreFilesSerializer,
    NewCaseSerializer,
)
from workbench.cases.models import Case
from workbench.cases.selectors import case_to_change, case_visible, cases_matching
from workbench.languages.sentences import say, to_say

REFUSALS = dict.fromkeys((400, 401, 403, 413, 507), ErrorSerializer)


class CaseView(GenericAPIView[Case]):
    """Serialisation shared by the case views."""

    serializer_class = CaseSerializer
    queryset = Case.objects.none()

    def cases_json(self, cases: list[Case]) -> list[dict[str, Any]]:
        """The cases with their latest analyses, in two queries."""
        context = {**self.get_serializer_context(), "latest": latest_analyses(cases)}
        return list(CaseSerializer(cases, many=True, context=context).data)

    def case_json(self, case: Case) -> dict[str, Any]:
        """One case."""
        return self.cases_json([case])[0]


def received(files: list[ReceivedFile[bytes]]) -> list[tuple[str, ReceivedFile[bytes]]]:
    """The files with their names, in the form of the services."""
    return [(file.name or "unnamed", file) for file in files]


class CaseList(CaseView):
    parser_classes = [MultiPartParser]

    @extend_schema(
        operation_id="list_cases",
        summary=to_say("List the cases of your teams"),
        parameters=[CaseFilterSerializer],
        responses={200: CaseSerializer(many=True), 400: ErrorSerializer, 401: ErrorSerializer},
    )
    def get(self, request: SignedInApiRequest) -> Response:
        asked = CaseFilterSerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        status = asked.validated_data.pop("status", None)
        found = cases_matching(request.user, asked.validated_data)
        if status == AnalysisStatus.FAILED:
            found = found.filter(analysis_status__in=[AnalysisStatus.FAILED, AnalysisStatus.CANCELLED])
        elif status:
            found = found.filter(analysis_status=status)
        return self.get_paginated_response(self.cases_json(self.paginate_queryset(found) or []))

    @extend_schema(
        operation_id="open_case",
        summary=to_say("Open a case, store its files and queue the analysis"),
        request={"multipart/form-data": NewCaseSerializer},
        responses={201: CaseSerializer} | REFUSALS,
    )
    def post(self, request: SignedInApiRequest) -> Response:
        if not request.user.may_change_cases:
            raise PermissionDenied(say("Your role may read cases, not open them."))
        asked = NewCaseSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        files = received(asked.validated_data["files"])
        case = case_submit(user=request.user, title=asked.validated_data["title"], files=files)
        return Response(self.case_json(case), status=201, headers={"Location": self.case_json(case)["url"]})


class CaseDetail(CaseView):
    @extend_schema(
        operation_id="read_case",
        summary=to_say("How far a case is, and its verdict"),
        responses={200: CaseDetailSerializer, 401: ErrorSerializer, 404: ErrorSerializer},
    )
    def get(self, request: SignedInApiRequest, case_id: int) -> Response:
        case = case_visible(request.user, case_id)
        for latest in latest_analyses([case]).values():
            lost_analysis_recover(latest)
        context = {**self.get_serializer_context(), "latest": latest_analyses([case])}
        return Response(CaseDetailSerializer(case, context=context).data)


class CaseFiles(CaseView):
    parser_classes = [MultiPartParser]

    @extend_schema(
        operation_id="add_files",
        summary=to_say("Add evidence and queue a new analysis of the newest snapshot"),
        request={"multipart/form-data": MoreFilesSerializer},
        responses={201: CaseSerializer, 404: ErrorSerializer} | REFUSALS,
    )
    def post(self, request: SignedInApiRequest, case_id: int) -> Response:
        case = case_to_change(request.user, case_id)
        asked = MoreFilesSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        files = received(asked.validated_data["files"])
        change, begins_at = asked.validated_data.get("change"), asked.validated_data["begins_at"]
        files_submit(case=case, user=request.user, files=files, change=change, begins_at=begins_at)
        return Response(self.case_json(case), status=201)


class CaseDiagnosis(CaseView):
    @extend_schema(
        operation_id="read_diagnosis",
        summary=to_say("The diagnosis document of the latest finished analysis"),
        responses={200: OpenApiTypes.OBJECT, 401: ErrorSerializer, 404: ErrorSerializer},
    )
    def get(self, request: SignedInApiRequest, case_id: int) -> Response:
        analysis = case_visible(request.user, case_id).analyses.done().defer("signals", "inputs").first()
        if analysis is None:
            raise NotFound(say("There is no diagnosis yet; the case says how far its analysis is."))
        return Response(document_read(analysis))


class Root(APIView):
    permission_classes = [AllowAny]

    @extend_schema(exclude=True)
    def get(self, request: SignedInApiRequest) -> Response:
        """The addresses of the API."""
        names = {"cases": "api:cases", "schema": "api:schema", "docs": "api:docs"}
        return Response({name: reverse(view, request=request) for name, view in names.items()})


def docs(request: HttpRequest) -> HttpResponse:
    """The OpenAPI document as a page, without external resources."""
    schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return render(request, "api/docs.html", {"info": schema["info"], "operations": operations(schema)})
