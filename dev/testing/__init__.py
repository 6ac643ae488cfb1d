"""The test runner behind './x test'; dev/test.py starts it."""
