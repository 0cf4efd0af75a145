"""What was changed, and what a store is made of, as lines."""

from collections.abc import Iterable, Iterator, Mapping

from winnow.evaluation.report import BenchAnswer, EvaluationAnswer
from winnow.operations.access import CreateKeyAnswer, KeysAnswer
from winnow.operations.answers import SchemaAnswer
from winnow.operations.reports import ImportAnswer, LintAnswer
from winnow.operations.settings import CapabilitiesAnswer, NamespaceAnswer, NamespacesAnswer
from winnow.operations.upkeep import BackupAnswer, DoctorAnswer, RestoreAnswer
from winnow.surfaces.cli.lines.sheet import Row, Sheet


def sheet_of(of: str, *columns: str) -> Sheet:
    """Return the sheet of an answer that is one record: a cell for each of these fields."""
    names = [_snake_case(column) for column in columns]

    def rows(answer: object) -> Iterator[Row]:
        yield tuple(getattr(answer, name) for name in names)

    return Sheet(of, columns, rows)


def _snake_case(name: str) -> str:
    return "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in name)


def _schemas(answer: SchemaAnswer) -> Iterator[Row]:
    for one in answer.schemas:
        yield one.name, one.entities, len(one.field_names or ()), one.description


def _fields(answer: SchemaAnswer) -> Iterator[Row]:
    for schema in answer.schemas:
        for one in schema.fields or ():
            kind = (one.name, one.type, one.unit, one.target, one.choices)
            seen = (one.entities_with_value, one.lowest, one.highest)
            yield (schema.name, *kind, *seen, one.description)


def _import(answer: ImportAnswer) -> Iterator[Row]:
    counts = (answer.added, answer.changed, answer.unchanged, answer.refused)
    yield (*counts, answer.memories.expired or 0)


def _findings(answer: LintAnswer) -> Iterator[Row]:
    for one in answer.findings:
        yield one.path, one.line, one.code, one.entity, one.field, one.detail


_ROWS = ("namespaces", "memories", "deleted", "pieces", "entities")


def _copies(answer: BackupAnswer | RestoreAnswer) -> Iterator[Row]:
    """Yield a backup in one row, with the rows of all namespaces together."""
    counts = answer.namespaces.values()
    sums = (sum(one[name] for one in counts) for name in _ROWS[1:])
    row = (answer.path, answer.bytes, answer.version, answer.as_of.change, len(counts), *sums)
    yield (*row, answer.kept) if isinstance(answer, RestoreAnswer) else row


def _doctor(answer: DoctorAnswer) -> Iterator[Row]:
    yield "sound", answer.sound
    yield "store", answer.store
    for name, found in (("problem", answer.problems), ("repaired", answer.repaired or ())):
        for one in found:
            yield f"{name} {one.code}", f"{one.where}: {one.count} {one.detail}"
    yield from (("namespace", one) for one in answer.namespaces)
    yield from _named("entities", answer.entities)
    yield from _named("model", answer.models)
    yield from _named("version", answer.versions)


def _capabilities(answer: CapabilitiesAnswer) -> Iterator[Row]:
    yield "accept", answer.accept
    yield from (("tool", one) for one in answer.tools)
    if answer.version is not None:
        yield "version", answer.version
    yield from _named("feature", answer.features or {})
    yield from _named("embedder", answer.embedders or {})
    yield from _named("source", answer.sources or {})
    yield from (("surface", one) for one in answer.surfaces or ())


def _named(what: str, values: Mapping[str, object]) -> Iterator[Row]:
    for name, value in values.items():
        yield f"{what} {name}", value


def _namespaces(answer: NamespaceAnswer | NamespacesAnswer) -> Iterator[Row]:
    found = answer.namespaces if isinstance(answer, NamespacesAnswer) else (answer,)
    for one in found:
        policy = one.governance.get("auto_classify_kind", "off")
        counts = (one.memories, one.pieces, one.entities, one.stale_vectors)
        yield (one.name, one.embedder, one.language, policy, *counts, one.secrets)


def _keys(answer: KeysAnswer | CreateKeyAnswer) -> Iterable[Row]:
    if isinstance(answer, CreateKeyAnswer):
        return [(*_key(answer), answer.secret)]
    return map(_key, answer.keys)


def _key(one: object) -> Row:
    return tuple(getattr(one, name) for name in ("name", "scopes", "namespaces", "created_at"))


def _evaluation(answer: EvaluationAnswer) -> Iterator[Row]:
    for one in answer.figures:
        measured = (one.recall_at_5, one.recall_at_10, one.mrr_at_10, one.ndcg_at_10)
        yield (one.way, one.group, one.questions, *measured)


def _bench(answer: BenchAnswer) -> Iterator[Row]:
    for one in answer.figures:
        asked = (one.of, one.operation, one.share, one.candidates, one.calls)
        yield (*asked, one.p50_ms, one.p95_ms, one.answer_bytes, list(one.where))


KEY = ("name", "scopes", "namespaces", "createdAt")
DELETION = sheet_of("`delete`", "matched", "deleted", "readOnly", "ids")
RETURN = sheet_of("`undelete` of several", "undeleted", "ids")
RETYPING = sheet_of("`retype`", "matched", "changed", "readOnly")
SCHEMAS = Sheet("`schema`", ("schema", "entities", "fields", "description"), _schemas)
FIELDS = Sheet(
    "`schema NAME`",
    (
        "schema",
        "field",
        "type",
        "unit",
        "target",
        "choices",
        "entitiesWithValue",
        "lowest",
        "highest",
        "description",
    ),
    _fields,
)
INDEX = sheet_of(
    "`index`",
    "vault",
    "namespace",
    "notes",
    "added",
    "changed",
    "moved",
    "removed",
    "unchanged",
    "skipped",
    "kept",
    "findings",
)
IMPORT = Sheet("`import`", ("added", "changed", "unchanged", "refused", "expired"), _import)
EXPORT = sheet_of(
    "`export FILE`", "path", "namespaces", "packs", "memories", "deleted", "entities", "pieces"
)
FINDINGS = Sheet("`lint`", ("path", "line", "code", "entity", "field", "detail"), _findings)
BACKUP = Sheet("`backup`", ("path", "bytes", "version", "change", *_ROWS), _copies)
RESTORE = Sheet("`restore`", ("path", "bytes", "version", "change", *_ROWS, "kept"), _copies)
DOCTOR = Sheet("`doctor`", ("name", "value"), _doctor)
CAPABILITIES = Sheet("`capabilities`", ("name", "value"), _capabilities)
NAMESPACES = Sheet(
    "`namespace list`, `namespace get`, `namespace set`",
    (
        "name",
        "embedder",
        "language",
        "autoClassify",
        "memories",
        "pieces",
        "entities",
        "staleVectors",
        "secrets",
    ),
    _namespaces,
)
REEMBEDDING = sheet_of("`reembed`", "records", "made", "left")
KEYS = Sheet("`keys list`", KEY, _keys)
NEW_KEY = Sheet("`keys create`", (*KEY, "secret"), _keys)
REVOCATION = sheet_of("`keys revoke`", "name")
EVALUATION = Sheet(
    "`eval`",
    ("ranking", "group", "questions", "recall@5", "recall@10", "mrr@10", "ndcg@10"),
    _evaluation,
)
BENCH = Sheet(
    "`bench`",
    ("of", "operation", "share", "candidates", "calls", "p50", "p95", "bytes", "filters"),
    _bench,
)
