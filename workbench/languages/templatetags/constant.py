"""Parts of a page that depend on the language alone."""

from __future__ import annotations

from django import template
from django.template.base import NodeList, Parser, Token
from django.utils.safestring import SafeString
from django.utils.translation import get_language

register = template.Library()


class ConstantNode(template.Node):
    """Renders its content once in each language. It sees no variable, so that nothing of a page can be kept in it."""

    def __init__(self, nodelist: NodeList) -> None:
        self.nodelist = nodelist
        self._rendered: dict[str | None, SafeString] = {}

    def render(self, context: template.Context) -> SafeString:
        language = get_language()
        if language not in self._rendered:
            without_variables = template.Context()
            without_variables.template = context.template
            self._rendered[language] = self.nodelist.render(without_variables)
        return self._rendered[language]


@register.tag
def constant(parser: Parser, token: Token) -> ConstantNode:
    """`{% constant %}…{% endconstant %}`: texts, icons and addresses that are the same for everybody on every page."""
    nodelist = parser.parse(("endconstant",))
    parser.delete_first_token()
    return ConstantNode(nodelist)
