"""What is known of one entity: the plain way to what columns hold."""

from collections.abc import Sequence

from tests.plan.worlds import Realm

from winnow.records import Confidence
from winnow.schema import Field
from winnow.values import Value


def known_value(
    realm: Realm, schema: str, entity: str, steps: Sequence[Field], minimum: Confidence
) -> Value | None:
    """Follow references and read a field; the first value of a conflict, None if none counts."""
    fields = realm.read(schema, entity)
    if fields is None:
        return None
    step = steps[0]
    if step.name == "id":
        return entity
    resolved = step.weigh(fields.get(step.name, ()), realm.zone)
    if resolved is None or resolved.level < minimum:
        return None
    value = resolved.best[0].value
    if len(steps) == 1:
        return value
    return known_value(realm, step.target or "", str(value), steps[1:], minimum)
