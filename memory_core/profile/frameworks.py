"""Which dependencies and plugins tell of a framework: data, by coordinates (P2b)."""

from __future__ import annotations

GROUPS: tuple[tuple[str, str], ...] = (
    ("org.springframework.boot", "spring boot"),
    ("org.springframework.cloud", "spring cloud"),
    ("org.mybatis", "mybatis"),
    ("org.mybatis.spring.boot", "mybatis"),
    ("com.baomidou", "mybatis"),
    ("tk.mybatis", "mybatis"),
    ("io.quarkus", "quarkus"),
    ("io.quarkus.platform", "quarkus"),
    ("io.micronaut", "micronaut"),
    ("io.dropwizard", "dropwizard"),
    ("io.vertx", "vert.x"),
)
"""Group of a dependency to framework; a group below it (`io.micronaut.sql`) counts for micronaut and dropwizard."""

_WITH_SUBGROUPS = ("io.micronaut", "io.dropwizard", "io.quarkiverse")
_BAOMIDOU = ("mybatis-plus",)

PLUGINS: dict[str, str] = {
    "org.springframework.boot": "spring boot",
    "io.quarkus": "quarkus",
    "io.micronaut.application": "micronaut",
    "io.micronaut.library": "micronaut",
    "io.micronaut.minimal.application": "micronaut",
    "io.micronaut.minimal.library": "micronaut",
}
"""Gradle plugin id to framework."""


def of_dependency(group: str, artifact: str) -> str | None:
    """The framework that a dependency's coordinates tell of."""
    if group == "com.baomidou" and not artifact.startswith(_BAOMIDOU):
        return None
    for known, framework in GROUPS:
        if group == known:
            return framework
    for known in _WITH_SUBGROUPS:
        if group.startswith(f"{known}."):
            return known.rpartition(".")[2]
    return None


def of_plugin(plugin: str) -> str | None:
    """The framework that an applied Gradle plugin, or a Maven plugin's group, tells of."""
    return PLUGINS.get(plugin)
