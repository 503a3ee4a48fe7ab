from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.views.decorators.http import require_POST

from diagnostics.errors import InvalidRule
from workbench.rules.forms import DraftForm
from workbench.rules.models import Origin, Rule, Ruleset, RuleVersion, VersionState
from workbench.rules.services import draft_from, draft_save, rule_publish, rule_switch


class ForRuleEditors(admin.ModelAdmin):
    """Seen and used by rule editors and administrators; the role decides, not Django's permission table."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return request.user.is_authenticated and request.user.may_edit_rules

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_module_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Rule)
class RuleAdmin(ForRuleEditors):
    """Rules by id, with the version that counts; a rule can be switched off without losing anything."""

    list_display = ["rule_id", "enabled", "counts", "newest_shipped"]
    list_filter = ["enabled"]
    search_fields = ["rule_id", "versions__title", "versions__symptom_class"]
    readonly_fields = ["rule_id", "enabled", "versions_of"]
    actions = ["switch_on", "switch_off"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Rule]:
        return super().get_queryset(request).prefetch_related("versions")

    @admin.display(description="version that counts")
    def counts(self, rule: Rule) -> str:
        published = [each for each in rule.versions.all() if each.state == VersionState.PUBLISHED]
        local = [each for each in published if each.origin == Origin.LOCAL]
        return _link((local or published)[0]) if published and rule.enabled else "none"

    @admin.display(description="newest shipped")
    def newest_shipped(self, rule: Rule) -> str:
        shipped = [each for each in rule.versions.all() if each.origin == Origin.SHIPPED]
        return _link(shipped[0]) if shipped else "not shipped"

    @admin.display(description="versions")
    def versions_of(self, rule: Rule) -> str:
        return format_html("<ul>{}</ul>", _joined(rule.versions.all()))

    @admin.action(description="Switch on", permissions=["view"])
    def switch_on(self, request: HttpRequest, rules: QuerySet[Rule]) -> None:
        self._switch(request, rules, enabled=True)

    @admin.action(description="Switch off", permissions=["view"])
    def switch_off(self, request: HttpRequest, rules: QuerySet[Rule]) -> None:
        self._switch(request, rules, enabled=False)

    def _switch(self, request: HttpRequest, rules: QuerySet[Rule], *, enabled: bool) -> None:
        for rule in rules.exclude(enabled=enabled):
            ruleset = rule_switch(rule=rule, enabled=enabled, user=request.user)
            self.message_user(request, f"{ruleset.reason}: ruleset {ruleset.pk} counts from now on.", messages.SUCCESS)


def _link(version: RuleVersion) -> str:
    address = reverse("admin:rules_ruleversion_change", args=[version.pk])
    return format_html('<a href="{}">{} ({})</a>', address, version.number, version.get_origin_display().lower())


def _joined(versions: Any) -> str:
    items = [format_html("<li>{} {}: {}</li>", _link(each), each.state, each.title) for each in versions]
    return format_html("{}" * len(items), *items)


class RuleVersionAdmin(ForRuleEditors):
    """Versions: drafts are edited here, published texts are only read. `workbench.analyses.admin` adds trying them."""

    form = DraftForm
    list_display = ["rule", "number", "origin", "state", "symptom_class", "title", "published_at"]
    list_filter = ["state", "origin", "symptom_class"]
    search_fields = ["rule__rule_id", "title", "text"]
    list_select_related = ["rule"]
    fields = ["text", "rule", "number", "origin", "state", "symptom_class", "author", "published_by", "published_at"]
    readonly_fields = ["rule", "number", "origin", "state", "symptom_class", "author", "published_by", "published_at"]
    change_form_template = "admin/rules/ruleversion/change_form.html"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_module_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: RuleVersion | None = None) -> bool:
        editable = obj is None or obj.state == VersionState.DRAFT
        return editable and self.has_module_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: RuleVersion | None = None) -> bool:
        """Only a draft: whatever was published explains findings."""
        return obj is not None and self.has_change_permission(request, obj)

    def get_fields(self, request: HttpRequest, obj: RuleVersion | None = None) -> list[str]:
        return self.fields if obj else ["text"]

    def save_model(self, request: HttpRequest, obj: RuleVersion, form: ModelForm, change: bool) -> None:
        saved = draft_save(text=form.cleaned_data["text"], user=request.user, draft=obj if change else None)
        obj.pk = saved.pk
        obj.refresh_from_db()

    def get_urls(self) -> list[URLPattern]:
        doors = [
            path(f"<int:version_id>/{name}/", self.admin_site.admin_view(require_POST(view)), name=f"rule_{name}")
            for name, view in (("publish", self.publish), ("edit", self.edit))
        ]
        return doors + super().get_urls()

    def publish(self, request: HttpRequest, version_id: int) -> HttpResponse:
        """Makes a draft count, or a retired version again."""
        version = self._version(request, version_id)
        try:
            ruleset = rule_publish(version=version, user=request.user)
        except InvalidRule as error:
            self.message_user(request, f"Not published: {'; '.join(error.errors)}", messages.ERROR)
        else:
            self.message_user(request, f"{ruleset.reason}: ruleset {ruleset.pk} counts from now on.", messages.SUCCESS)
        return self._back_to(version)

    def edit(self, request: HttpRequest, version_id: int) -> HttpResponse:
        """A new draft with the text of this version."""
        draft = draft_from(version=self._version(request, version_id), user=request.user)
        self.message_user(request, f"Draft {draft.number} holds the same text; change it here.", messages.SUCCESS)
        return self._back_to(draft)

    def _version(self, request: HttpRequest, version_id: int) -> RuleVersion:
        if not self.has_module_permission(request):
            raise PermissionDenied
        return get_object_or_404(RuleVersion.objects.select_related("rule"), pk=version_id)

    def _back_to(self, version: RuleVersion) -> HttpResponseRedirect:
        return HttpResponseRedirect(reverse("admin:rules_ruleversion_change", args=[version.pk]))


@admin.register(Ruleset)
class RulesetAdmin(ForRuleEditors):
    """Every ruleset that ever counted, newest first."""

    list_display = ["__str__", "created_at", "created_by"]
    fields = ["reason", "created_at", "created_by", "versions"]
