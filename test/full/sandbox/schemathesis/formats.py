"""Formats of the OpenAPI document that Schemathesis does not know: no schema can tell all names of timezones."""

import schemathesis
from hypothesis import strategies

schemathesis.openapi.format(
    "timezone", strategies.sampled_from(["Europe/Berlin", "UTC", "America/New_York", "Asia/Kolkata"])
)
