from django.apps import AppConfig


class ProfilesConfig(AppConfig):
    name = "workbench.profiles"
