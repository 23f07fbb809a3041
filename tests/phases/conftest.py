"""Random examples are not timed: a busy machine must not fail a property."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
