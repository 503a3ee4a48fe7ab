"""Every setting, read from the environment. The checks in `workbench.machine.environment` reject invalid values."""

from __future__ import annotations

import datetime as dt
import os
import socket
from pathlib import Path

import dj_database_url
import plotly

from diagnostics.language import CHINESE, ENGLISH
from diagnostics.storage.shared_folder import STORAGE_EXAMPLE, STORAGE_FORM, STORAGE_VARIABLE
from workbench.languages.sentences import to_say
from workbench.machine.environment import (
    ATTRIBUTE_FORM,
    CLAMD_FORM,
    CONTACT_FORM,
    DATABASE_SCHEMES,
    LANGUAGES_FORM,
    LDAP_URL_FORM,
    REDIS_SCHEMES,
    SECURE_URL_FORM,
    SPARK_MASTER_FORM,
    SPARK_REMOTE_FORM,
    Environment,
    make_private,
)
from workbench.machine.secret import kept_secret

BASE_DIR = Path(__file__).resolve().parent.parent
ENVIRONMENT = Environment(os.environ)

WORKBENCH_PORT = ENVIRONMENT.number("WORKBENCH_PORT", 8000, 1, 65_535)
WORKBENCH_DATA = ENVIRONMENT.folder("WORKBENCH_DATA", BASE_DIR / "var")
WORKBENCH_HTTPS = ENVIRONMENT.switch("WORKBENCH_HTTPS")
WORKBENCH_URL = ENVIRONMENT.url("WORKBENCH_URL", f"http://127.0.0.1:{WORKBENCH_PORT}", ("http", "https")).rstrip("/")
DATABASE_URL = ENVIRONMENT.url("DATABASE_URL", f"sqlite:///{WORKBENCH_DATA}/workbench.sqlite3", DATABASE_SCHEMES)
REDIS_URL = ENVIRONMENT.url("REDIS_URL", "redis://127.0.0.1:6379/0", REDIS_SCHEMES)
SPARK_REMOTE = ENVIRONMENT.matching("SPARK_REMOTE", "sc://127.0.0.1:15002", SPARK_REMOTE_FORM, "sc://127.0.0.1:15002")
SPARK_MASTER = ENVIRONMENT.matching("SPARK_MASTER", "", SPARK_MASTER_FORM, "local[*] or spark://host:7077")
SPARK_STORAGE = ENVIRONMENT.matching(STORAGE_VARIABLE, "", STORAGE_FORM, STORAGE_EXAMPLE)

DEBUG = ENVIRONMENT.switch("WORKBENCH_DEBUG")
SECRET_KEY = kept_secret(WORKBENCH_DATA / "secret-key")
ALLOWED_HOSTS = ENVIRONMENT.words("WORKBENCH_HOSTS", ["localhost", "127.0.0.1", "[::1]", socket.gethostname().lower()])
SECURITY_CONTACT = ENVIRONMENT.matching(
    "WORKBENCH_SECURITY_CONTACT", "", CONTACT_FORM, "mailto:security@example.org or https://example.org/report"
)
CSRF_TRUSTED_ORIGINS = ENVIRONMENT.words("WORKBENCH_ORIGINS", [])

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "axes",
    "rest_framework",
    "drf_spectacular",
    "workbench.accounts",
    "workbench.languages",
    "workbench.tallies",
    "workbench.cases",
    "workbench.layouts",
    "workbench.limits",
    "workbench.redaction",
    "workbench.uploads",
    "workbench.rules",
    "workbench.analyses",
    "workbench.clusters",
    "workbench.alerts",
    "workbench.channels",
    "workbench.sign_in",
    "workbench.audit",
    "workbench.watching",
    "workbench.charts",
    "workbench.profiles",
    "workbench.logs",
    "workbench.runbooks",
    "workbench.history",
    "workbench.reports",
    "workbench.prevention",
    "workbench.drills",
    "workbench.space",
    "workbench.backup",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "workbench.middleware.security.ContentSecurityPolicy",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "workbench.middleware.paced_pages.PacedPages",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "workbench.languages.middleware.ReaderLanguage",
    "workbench.middleware.security.BoundedRequests",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
    "workbench.audit.middleware.AuditedRequests",
    "workbench.middleware.machine_faults.MachineFaultAnswers",
]

ROOT_URLCONF = "workbench.urls"
WSGI_APPLICATION = "workbench.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["django.templatetags.i18n", "workbench.languages.templatetags.reading"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "workbench.drills.context.drill",
                "workbench.space.context.disk",
            ],
        },
    },
]

# People

AUTH_USER_MODEL = "accounts.User"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "cases:list"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# Password guessing is blocked per name and address, so that nobody locks another person out, and per address over all
# names. Our choice: an office behind one address mistypes less than 100 times in a quarter of an hour, and 400 an hour
# are too few to try even the most usual passwords of every person.

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
    "workbench.sign_in.backend.LdapBackend",
]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = dt.timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_TEMPLATE = "registration/locked.html"
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_HANDLER = "workbench.accounts.guessing.GuessingHandler"
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "old_password", "new_password1", "new_password2"]
AXES_CLIENT_IP_CALLABLE = "workbench.accounts.guessing.client_address"
MOST_FAILURES_OF_ADDRESS = 100
TRUSTED_PROXIES = ENVIRONMENT.networks("WORKBENCH_PROXIES", ["127.0.0.0/8", "::1/128"] if WORKBENCH_HTTPS else [])

# Providers of identities, beside local accounts

OIDC_ISSUER = ENVIRONMENT.matching(
    "WORKBENCH_OIDC_ISSUER", "", SECURE_URL_FORM, "https://login.example.org/realms/company"
)
OIDC_CLIENT_ID = ENVIRONMENT.text("WORKBENCH_OIDC_CLIENT_ID", "flink-workbench")
OIDC_SECRET = ENVIRONMENT.secret_in_file("WORKBENCH_OIDC_SECRET_FILE")
OIDC_TITLE = ENVIRONMENT.text("WORKBENCH_OIDC_TITLE", "single sign-on")
OIDC_SCOPES = ENVIRONMENT.text("WORKBENCH_OIDC_SCOPES", "openid profile email")
OIDC_GROUPS_CLAIM = ENVIRONMENT.text("WORKBENCH_OIDC_GROUPS_CLAIM", "groups")
OIDC_NAME_CLAIM = ENVIRONMENT.text("WORKBENCH_OIDC_NAME_CLAIM", "preferred_username")
LDAP_URL = ENVIRONMENT.matching("WORKBENCH_LDAP_URL", "", LDAP_URL_FORM, "ldaps://ldap.example.org")
LDAP_BIND_DN = ENVIRONMENT.text("WORKBENCH_LDAP_BIND_DN", "")
LDAP_PASSWORD = ENVIRONMENT.secret_in_file("WORKBENCH_LDAP_PASSWORD_FILE")
LDAP_PEOPLE = ENVIRONMENT.text("WORKBENCH_LDAP_PEOPLE", "")
LDAP_NAME = ENVIRONMENT.matching("WORKBENCH_LDAP_NAME", "uid", ATTRIBUTE_FORM, "uid or sAMAccountName")
LDAP_GROUPS = ENVIRONMENT.text("WORKBENCH_LDAP_GROUPS", "")
LDAP_CA_FILE = ENVIRONMENT.text("WORKBENCH_LDAP_CA_FILE", "")
if LDAP_URL and not LDAP_PEOPLE:
    ENVIRONMENT.refuse(
        "E008", to_say("WORKBENCH_LDAP_PEOPLE is empty."), to_say("Give the base of people, e.g. ou=people,dc=org.")
    )

# Who may read /metrics without a token

METRICS_FROM = ENVIRONMENT.networks("WORKBENCH_METRICS_FROM", [])

# Database

SQLITE_PRAGMAS = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;"
DATABASES = {"default": dj_database_url.parse(DATABASE_URL)}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # Web server and worker write concurrently: take the write lock at the start of a transaction, and wait for it.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": SQLITE_PRAGMAS,
    }
    # Opening one takes 3 to 7 ms. Our choice: not longer, because a handle opened on a read-only disk stays read-only.
    DATABASES["default"]["CONN_MAX_AGE"] = 10
else:
    DATABASES["default"]["ENGINE"] = "workbench.machine.postgresql"
    DATABASES["default"]["CONN_MAX_AGE"] = 60
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
    # The server plans a statement once for a connection: a case page takes 11 instead of 23 ms of its processor time. A
    # pooler that gives each transaction another connection knows neither prepared statements nor cursors.
    _options = {"server_side_binding": True, **DATABASES["default"].get("OPTIONS", {})}
    if _options["server_side_binding"] is True:
        _options.setdefault("prepare_threshold", 2)
    else:
        DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = True
    DATABASES["default"]["OPTIONS"] = _options
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Language and time: UTC in the database and in the API

LANGUAGE_CODE = ENGLISH
LANGUAGE_NAMES = {ENGLISH: "English", CHINESE: "简体中文"}
OFFERED = ENVIRONMENT.matching("WORKBENCH_LANGUAGES", f"{ENGLISH},{CHINESE}", LANGUAGES_FORM, ENGLISH).split(",")
LANGUAGES = [(language, LANGUAGE_NAMES[language]) for language in OFFERED]
FORMAT_MODULE_PATH = ["workbench.languages.formats"]
LOCALE_PATHS = [BASE_DIR / "workbench" / "languages" / "locale"]
"""Before the catalogues of Django's applications, which have other words for the same English one."""
TIME_ZONE = "UTC"
USE_TZ = True
# Looking up each text in the catalogue of its own language took a tenth of the processor time of a case page.
USE_I18N = len(OFFERED) > 1

# Static files: served by the web server itself, plotly.js from its Python package so that versions cannot drift

STATIC_URL = "/static/"
PLOTLY_PACKAGED = Path(plotly.__file__).parent / "package_data"
PLOTLY_COMPRESSED = WORKBENCH_DATA / "static" / f"plotly-{plotly.__version__}-charts"
"""Compressed copies, a third of the size, created by `make up`."""
STATICFILES_DIRS = [
    BASE_DIR / "static",
    ("plotly", PLOTLY_COMPRESSED if PLOTLY_COMPRESSED.is_dir() else PLOTLY_PACKAGED),
]
WHITENOISE_USE_FINDERS = True

# Uploads. Our choice, after the limits of common archive tools. MOST_* are upper bounds: administrators set lower
# limits on the page of workbench.limits; archives have limits of their own in diagnostics.intake

UPLOADS_DIR = WORKBENCH_DATA / "uploads"
INCOMING_DIR = WORKBENCH_DATA / "incoming"
WORKSPACES_DIR = WORKBENCH_DATA / "work"
LOG_BOOKS_DIR = WORKBENCH_DATA / "log-books"
for _folder in (UPLOADS_DIR, INCOMING_DIR, WORKSPACES_DIR, LOG_BOOKS_DIR):
    _folder.mkdir(exist_ok=True, mode=0o700)
    make_private(_folder)
MOST_FILE_BYTES = ENVIRONMENT.number("WORKBENCH_MOST_FILE_BYTES", 2 * 1024**3, 1024, 1024**4)
MOST_CASE_BYTES = ENVIRONMENT.number("WORKBENCH_MOST_CASE_BYTES", 10 * 1024**3, 1024, 1024**4)
MOST_CASE_FILES = ENVIRONMENT.number("WORKBENCH_MOST_CASE_FILES", 5_000, 1, 1_000_000)
MOST_TEAM_BYTES = ENVIRONMENT.number("WORKBENCH_MOST_TEAM_BYTES", 1024**4, 1024, 1024**5)
# Reserved for the database, the queue and the logs. Our choice: the logs of all programs, twice the log that Redis
# rewrites (64 MB), and a migration of a database of 100 MB, which copies its tables.
RESERVE_BYTES = ENVIRONMENT.number("WORKBENCH_RESERVE_BYTES", 512 * 1024**2, 0, 1024**4)
# A virus scanner that every file is shown to before it is kept; empty for none.
CLAMD = ENVIRONMENT.matching("WORKBENCH_CLAMD", "", CLAMD_FORM, "clamav:3310")
REDACT_ALWAYS = ENVIRONMENT.switch("WORKBENCH_REDACT")
KEEP_EVIDENCE_DAYS = ENVIRONMENT.number("WORKBENCH_KEEP_DAYS", 0, 0, 36_500)
# PCI DSS 4.0, requirement 10.5.1, asks for twelve months of audit history; our choice: a month more.
KEEP_AUDIT_DAYS = ENVIRONMENT.number("WORKBENCH_AUDIT_DAYS", 400, 0, 36_500)
MOST_REQUEST_BYTES = MOST_CASE_BYTES + 10 * 1024**2
MOST_FORM_BYTES = 2 * 1024**2
DATA_UPLOAD_MAX_MEMORY_SIZE = MOST_FORM_BYTES
DATA_UPLOAD_MAX_NUMBER_FILES = MOST_CASE_FILES
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2 * MOST_CASE_FILES
FILE_UPLOAD_HANDLERS = ["workbench.uploads.receiving.BoundedFileUploadHandler"]
FILE_UPLOAD_TEMP_DIR = INCOMING_DIR
FILE_UPLOAD_PERMISSIONS = 0o600

# The queue

CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://", 1)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 3600,
    "socket_connect_timeout": 3,
    "socket_timeout": 30,
    "max_retries": 2,
}
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0.2}
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CONCURRENCY = ENVIRONMENT.number("WORKBENCH_WORKERS", 3, 1, 64)
# The other processes are for small analyses. A large one takes all cores: two at once end later than one by one.
MOST_LARGE_ANALYSES = ENVIRONMENT.number("WORKBENCH_LARGE", max(CELERY_WORKER_CONCURRENCY // 2, 1), 1, 64)
STARTS_COLD = ENVIRONMENT.switch("WORKBENCH_COLD")
CELERY_WORKER_POOL = "prefork"
CELERY_WORKER_MAX_TASKS_PER_CHILD = 100
# In KiB: a process that exceeds it is replaced after the analysis. Our choice, several times the usual size.
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 1_000_000
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# The run watches its own limit and ends its Spark work; Celery's limits are for a run that hangs.
MOST_ANALYSIS_SECONDS = ENVIRONMENT.number("WORKBENCH_ANALYSIS_SECONDS", 1800, 10, 3_000)
CELERY_TASK_SOFT_TIME_LIMIT = MOST_ANALYSIS_SECONDS + 30
CELERY_TASK_TIME_LIMIT = MOST_ANALYSIS_SECONDS + 60
CELERY_TASK_DEFAULT_QUEUE = ENVIRONMENT.text("WORKBENCH_QUEUE", "workbench")
CELERY_TIMEZONE = "UTC"

# The HTTP API

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "workbench.api.authentication.ApiTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "workbench.api.negotiation.JsonWhateverIsAccepted",
    "DEFAULT_PAGINATION_CLASS": "workbench.api.pagination.Pages",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "workbench.api.errors.api_exception_handler",
    "DATETIME_FORMAT": "%Y-%m-%dT%H:%M:%S.%fZ",
    "UNICODE_JSON": True,
}
SPECTACULAR_SETTINGS = {
    "TITLE": to_say("Flink troubleshooting workbench"),
    "DESCRIPTION": to_say("Open cases, add evidence and read diagnoses."),
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "workbench.api.documentation.document_said",
    ],
}

# Browsers

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = WORKBENCH_HTTPS
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "workbench.api.errors.csrf_failure"
CSRF_COOKIE_SECURE = WORKBENCH_HTTPS
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = 30 * 24 * 3600 if WORKBENCH_HTTPS else 0
X_FRAME_OPTIONS = "DENY"
if WORKBENCH_HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SILENCED_SYSTEM_CHECKS: list[str] = []

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {"workbench": {"level": "INFO"}, "diagnostics": {"level": "INFO"}},
}
