"""Families of evidence: how fetched series, figures and news become items that a speaker may cite."""
