"""The stages of a route, found by walking it without doing anything."""

from flows.runner import Route


class _Anything:
    """Stands for whatever a stage would make."""

    def __getattr__(self, _: str) -> "_Anything":
        return self


def stages_of(route: Route) -> list[str]:
    """Name a route's stages in order."""
    names = list[str]()

    def step(stage, *_):
        names.append(stage.__name__)
        return _Anything()

    route.way(step)
    return names
