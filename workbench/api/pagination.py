"""Pagination of lists in the API."""

from __future__ import annotations

from rest_framework.pagination import PageNumberPagination


class Pages(PageNumberPagination):
    """`?page=2&page_size=50`; the answer has count, next, previous and results."""

    page_size = 25
    page_size_query_param = "page_size"
    max_page_size = 200
