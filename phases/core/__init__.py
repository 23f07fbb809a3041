"""The engine: phases, runner, the two doors (`ask`, `fetch`), journal and store. It knows no finance word."""
