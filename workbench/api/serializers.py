"""Input and output of the API in the contract's terms. Times are ISO 8601 in UTC with milliseconds."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.reverse import reverse

from diagnostics.language import ENGLISH, reader_language
from workbench.analyses.guarantee import guarantee_of
from workbench.analyses.models import Analysis, AnalysisStatus
from workbench.analyses.reading import document_read
from workbench.analyses.room import room_missed
from workbench.cases.impact import IMPACT_COLUMNS
from workbench.cases.models import LONGEST_CHANGE, Case
from workbench.cases.selectors import ORDERS
from workbench.languages.sentences import say_later, say_stored

STATUSES = ("queued", "running", "done", "failed")


def api_status(status: str | None) -> str | None:
    """The contract's status: a cancelled analysis counts as failed; null before the first analysis."""
    return AnalysisStatus.FAILED.value if status == AnalysisStatus.CANCELLED else status


class Moment(serializers.DateTimeField):
    """UTC with milliseconds."""

    def to_representation(self, value: dt.datetime) -> str:
        return value.astimezone(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class VerdictSerializer(serializers.Serializer[Case]):
    symptom_class = serializers.CharField(source="verdict_class")
    confidence = serializers.FloatField(source="verdict_confidence")
    summary = serializers.CharField(source="verdict_summary")


class JobVerdictSerializer(serializers.Serializer[Any]):
    """The verdict and the health of one job of a case; the case's own are those of its worst job."""

    name = serializers.CharField()
    symptom_class = serializers.CharField()
    health = serializers.IntegerField(allow_null=True)


class LinksSerializer(serializers.Serializer[Case]):
    self = serializers.URLField()
    files = serializers.URLField()
    diagnosis = serializers.URLField()
    page = serializers.URLField()


class CaseSerializer(serializers.ModelSerializer[Case]):
    """A case. `status`, `stage`, `progress` are those of its latest analysis, `verdict` of its latest diagnosis."""

    url = serializers.SerializerMethodField()
    title = serializers.CharField(source="read_title", read_only=True)
    status = serializers.SerializerMethodField()
    stage = serializers.SerializerMethodField()
    progress = serializers.SerializerMethodField()
    detail = serializers.SerializerMethodField(help_text=say_later("what it is at, or why it failed"))
    queue_position = serializers.SerializerMethodField()
    verdict = serializers.SerializerMethodField()
    health = serializers.IntegerField(source="health_score", read_only=True)
    jobs = serializers.SerializerMethodField()
    case_status = serializers.CharField(
        source="status", read_only=True, help_text=say_later("status of the work on the case")
    )
    owner = serializers.CharField(source="owner.username", read_only=True)
    team = serializers.CharField(source="team.name", read_only=True)
    created_at = Moment(read_only=True)
    updated_at = Moment(read_only=True)
    job_verdicts = serializers.SerializerMethodField()
    links = serializers.SerializerMethodField()

    class Meta:
        model = Case
        fields = [
            "id",
            "url",
            "title",
            "status",
            "stage",
            "progress",
            "detail",
            "queue_position",
            "verdict",
            "health",
            "jobs",
            "job_verdicts",
            "case_status",
            "confirmed_class",
            *IMPACT_COLUMNS,
            "required_guarantee",
            "owner",
            "team",
            "created_at",
            "updated_at",
            "links",
        ]
        read_only_fields = fields

    def _latest(self, case: Case) -> Analysis | None:
        latest: Mapping[int, Analysis] = self.context["latest"]
        return latest.get(case.pk)

    def get_url(self, case: Case) -> str:
        return reverse("api:case", args=[case.pk], request=self.context["request"])

    @extend_schema_field(serializers.ChoiceField(choices=STATUSES, allow_null=True))
    def get_status(self, case: Case) -> str | None:
        latest = self._latest(case)
        return api_status(latest.status) if latest else None

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_stage(self, case: Case) -> str | None:
        latest = self._latest(case)
        return (latest.stage or None) if latest else None

    @extend_schema_field(serializers.FloatField(min_value=0, max_value=1))
    def get_progress(self, case: Case) -> float:
        latest = self._latest(case)
        return latest.progress if latest else 0.0

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_detail(self, case: Case) -> str | None:
        latest = self._latest(case)
        return say_stored(latest.error or room_missed(latest) or latest.detail or "") or None if latest else None

    @extend_schema_field(serializers.IntegerField(allow_null=True))
    def get_queue_position(self, case: Case) -> int | None:
        latest = self._latest(case)
        return latest.queue_position if latest else None

    @extend_schema_field(VerdictSerializer(allow_null=True))
    def get_verdict(self, case: Case) -> dict[str, Any] | None:
        return dict(VerdictSerializer(case).data) if case.verdict_class else None

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_jobs(self, case: Case) -> list[str]:
        return case.job_names.splitlines()

    @extend_schema_field(JobVerdictSerializer(many=True))
    def get_job_verdicts(self, case: Case) -> list[dict[str, Any]]:
        return [dict(each) for each in case.job_verdicts]

    @extend_schema_field(LinksSerializer)
    def get_links(self, case: Case) -> dict[str, str]:
        request = self.context["request"]
        return {
            "self": self.get_url(case),
            "files": reverse("api:files", args=[case.pk], request=request),
            "diagnosis": reverse("api:diagnosis", args=[case.pk], request=request),
            "page": request.build_absolute_uri(case.get_absolute_url()),
        }


class GuaranteeSerializer(serializers.Serializer[Any]):
    """The required delivery guarantee against the one that the evidence shows."""

    guarantee = serializers.CharField(source="required", help_text=say_later("the required one"))
    is_reached = serializers.BooleanField(
        allow_null=True, help_text=say_later("null where the evidence does not suffice")
    )
    because = serializers.CharField()


class CaseDetailSerializer(CaseSerializer):
    """One case, with what its diagnosis is compared with."""

    guarantee = serializers.SerializerMethodField()

    class Meta(CaseSerializer.Meta):
        fields = [*CaseSerializer.Meta.fields, "guarantee"]
        read_only_fields = fields

    @extend_schema_field(VerdictSerializer(allow_null=True))
    def get_verdict(self, case: Case) -> dict[str, Any] | None:
        # The summary is in the language of the request. A list of cases has the stored English one: for another
        # language the signals of every case would be judged again.
        verdict = super().get_verdict(case)
        if verdict is None or reader_language() == ENGLISH:
            return verdict
        latest = case.analyses.done().first()
        return verdict | ({"summary": document_read(latest)["verdict"]["summary"]} if latest else {})

    @extend_schema_field(GuaranteeSerializer(allow_null=True))
    def get_guarantee(self, case: Case) -> dict[str, Any] | None:
        shown = guarantee_of(case)
        return dict(GuaranteeSerializer(shown).data) if shown else None


class FilesSerializer(serializers.Serializer[Any]):
    """Evidence: any number of `files`."""

    files = serializers.ListField(child=serializers.FileField(allow_empty_file=True), allow_empty=False)


class MoreFilesSerializer(FilesSerializer):
    """Evidence for an existing case; with `change` it starts a new snapshot."""

    change = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=LONGEST_CHANGE,
        help_text=say_later(
            "what was changed before these files came to be; they are then diagnosed without the earlier ones"
        ),
    )
    begins_at = serializers.DateTimeField(
        required=False,
        default=None,
        allow_null=True,
        help_text=say_later(
            "with `change`, when it took effect: what happened before does not count; by default the end of "
            "the evidence that the case has",
        ),
    )


class NewCaseSerializer(FilesSerializer):
    """A new case."""

    title = serializers.CharField(required=False, allow_blank=True, max_length=200, default="")


class CaseFilterSerializer(serializers.Serializer[Any]):
    """Filters of the list."""

    status = serializers.ChoiceField(choices=STATUSES, required=False)
    symptom_class = serializers.CharField(required=False)
    job = serializers.CharField(required=False, help_text=say_later("part of a job's name"))
    text = serializers.CharField(required=False, help_text=say_later('words and "phrases" that the case contains'))
    order = serializers.ChoiceField(choices=list(ORDERS), required=False)


class ErrorSerializer(serializers.Serializer[Any]):
    detail = serializers.CharField()
