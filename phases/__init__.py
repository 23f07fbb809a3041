"""The phases of a night, and the engine they run on. Read `phases/pipeline.py` first."""
