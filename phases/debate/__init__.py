"""One debate engine; every protocol is a YAML file. No module here sees a model."""
