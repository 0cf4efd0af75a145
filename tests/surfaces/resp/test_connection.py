"""Greeting, keys, transactions, and what the server tells of itself."""

import pytest
from tests.memory.remembering import Clock
from tests.surfaces.resp.speaking import Double, Error, Line, Status, serve_in_process

import winnow
from winnow.memory import Memory
from winnow.surfaces.resp import session
from winnow.surfaces.resp.service import Client, Service
from winnow.surfaces.resp.table import TABLE

NO_KEY = Error("NOAUTH Authentication required.")


@pytest.fixture
def keys(memory: Memory) -> dict[str, str]:
    """Secrets of keys: for everything, for reading, and for one namespace."""
    create = memory.admin.create_key
    return {
        "all": create("all", scopes=["read", "write", "admin"]).secret,
        "reader": create("reader", scopes=["read"]).secret,
        "mine": create("mine", scopes=["read", "write"], namespaces=["mine"]).secret,
    }


def logged_in(service: Service, secret: str) -> Line:
    line = Line(service)
    assert line.say("AUTH", secret) == Status("OK")
    return line


# --- greeting ---------------------------------------------------------------------------------


def test_hello_chooses_the_protocol_and_tells_who_answers(line: Line) -> None:
    told = line.say("HELLO", "3", "SETNAME", "me")
    assert told[b"server"] == b"winnow"
    assert told[b"version"] == winnow.__version__.encode()
    assert (told[b"proto"], told[b"role"], told[b"modules"]) == (3, b"master", [])
    assert line.say("CLIENT", "GETNAME") == b"me"
    assert line.say("GET", "x") is None
    assert isinstance(line.say("HELLO"), dict)
    assert line.say("HELLO", "2")[4:6] == [b"proto", 2]
    assert line.say("HELLO", "4") == Error("NOPROTO unsupported protocol version")
    assert line.say("HELLO", "3", "BOGUS") == Error("ERR syntax error")
    assert isinstance(line.say("HELLO"), list)  # it stayed at 2


def test_reset_lets_a_connection_be_as_it_was(line: Line) -> None:
    line.say("HELLO", "3", "SETNAME", "me")
    line.say("MULTI")
    assert line.say("RESET") == Status("RESET")
    assert (line.client.version, line.client.name, line.client.queue) == (2, "", None)


def test_a_connection_has_a_name_and_may_tell_of_its_library(line: Line) -> None:
    assert line.say("CLIENT", "SETNAME", "a b") == Error(
        "ERR Client names cannot contain spaces, newlines or special characters."
    )
    assert line.say("CLIENT", "SETINFO", "LIB-NAME", "redis-py") == Status("OK")
    told = line.say("CLIENT", "INFO").decode()
    assert told.startswith(f"id={line.client.id} ")
    assert "lib-name=redis-py" in told
    assert line.say("CLIENT", "LIST").count(b"id=") == 1
    assert "Unknown CLIENT subcommand" in line.say("CLIENT", "KILL", "x").text


def test_there_is_one_database(line: Line) -> None:
    assert line.say("SELECT", "0") == Status("OK")
    assert line.say("SELECT", "1") == Error("ERR DB index is out of range")


def test_quit_closes_and_what_comes_behind_is_not_answered(line: Line) -> None:
    assert line.all(("PING",), ("QUIT",), ("PING",)) == [Status("PONG"), Status("OK")]
    assert line.client.closing


# --- keys -------------------------------------------------------------------------------------


def test_without_keys_nobody_is_asked_for_one(line: Line) -> None:
    assert line.say("AUTH", "whatever") == Status("OK")
    assert line.say("DBSIZE") == 0


def test_with_keys_nothing_is_answered_before_one_is_given(
    service: Service, keys: dict[str, str]
) -> None:
    line = Line(service)
    for command in (("PING",), ("MEM.CARD", "k"), ("COMMAND",), ("nosuch",), ("MULTI",)):
        assert line.say(*command) in (
            NO_KEY,
            Error("ERR unknown command 'nosuch', with args beginning with: "),
        )
    assert line.say("HELLO", "3").text.startswith("NOAUTH ")
    assert line.say("AUTH", "wrong").text.startswith("WRONGPASS ")
    assert line.say("PING") == NO_KEY
    assert line.say("AUTH", "anybody", keys["all"]) == Status("OK")
    assert line.say("PING") == Status("PONG")
    greeted = Line(service).say("HELLO", "3", "AUTH", "default", keys["reader"])
    assert greeted[b"proto"] == 3


def test_a_key_bounds_what_may_be_done_and_where(service: Service, keys: dict[str, str]) -> None:
    all_, reader, mine = (logged_in(service, keys[name]) for name in ("all", "reader", "mine"))
    assert all_.say("MEM.CREATE", "theirs", "MODE", "SEARCH") == Status("OK")
    assert mine.say("MEM.CREATE", "mine", "MODE", "SEARCH") == Status("OK")
    assert reader.say("MEM.CARD", "theirs") == 0
    assert reader.say("MEM.ADD", "theirs", "TEXT", "t").text.startswith("NOPERM ")
    for command in (("MEM.CARD", "theirs"), ("DEL", "theirs"), ("RENAME", "mine", "theirs")):
        assert mine.say(*command).text.startswith("NOPERM ")
    assert mine.say("KEYS", "*") == [b"mine"]
    assert mine.say("DBSIZE") == 1
    assert mine.say("FLUSHALL").text.startswith("NOPERM ")
    assert mine.say("CONFIG", "SET", "mem-max-topk", 5).text.startswith("NOPERM ")
    assert all_.say("FLUSHALL") == Status("OK")
    assert all_.say("DBSIZE") == 0


def test_a_key_that_is_revoked_is_nothing_from_then_on(
    memory: Memory, service: Service, keys: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "CHECK_SECONDS", 0.0)
    line = logged_in(service, keys["reader"])
    assert line.say("DBSIZE") == 0
    memory.admin.revoke_key("reader")
    assert line.say("DBSIZE") == NO_KEY


def test_who_reaches_it_from_elsewhere_needs_a_key_in_any_case(memory: Memory) -> None:
    line = Line(serve_in_process(memory, local=False))
    assert line.say("PING") == NO_KEY


def test_many_wrong_keys_end_the_connection(service: Service, keys: dict[str, str]) -> None:
    lines = [Line(service, Client(number, "192.0.2.1:1")) for number in range(12)]
    for line in lines:
        line.say("AUTH", "wrong")
    assert lines[-1].client.closing
    assert not lines[0].client.closing


# --- transactions -----------------------------------------------------------------------------


def test_exec_runs_all_that_was_gathered_and_an_error_stops_nothing(line: Line) -> None:
    assert line.say("MULTI") == Status("OK")
    assert line.say("MULTI") == Error("ERR MULTI calls can not be nested")
    for command in (
        ("MEM.CREATE", "k", "MODE", "SEARCH"),
        ("MEM.ADD", "k", "TEXT", "one"),
        ("MEM.ADD", "k", "BAD"),
        ("MEM.CARD", "k"),
        ("MEM.ADD", "k", "TEXT", "two"),
        ("nosuch",),
    ):
        assert line.say(*command) == Status("QUEUED")
    assert line.say("EXEC") == [
        Status("OK"),
        b"m1",
        Error("ERR unexpected argument 'BAD'"),
        1,
        b"m2",
        Error("ERR unknown command 'nosuch', with args beginning with: "),
    ]
    assert line.say("EXEC") == Error("ERR EXEC without MULTI")


def test_discard_forgets_what_was_gathered(line: Line) -> None:
    assert line.say("DISCARD") == Error("ERR DISCARD without MULTI")
    line.say("MULTI")
    line.say("SET", "a", "b")
    assert line.say("DISCARD") == Status("OK")
    assert line.say("GET", "a") is None


# --- texts ------------------------------------------------------------------------------------


@pytest.fixture
def index(line: Line) -> Line:
    line.say("MEM.CREATE", "k", "MODE", "SEARCH")
    return line


def test_plain_texts_have_their_own_keys_and_other_types_there_are_not(index: Line) -> None:
    wrong = Error("WRONGTYPE Operation against a key holding the wrong kind of value")
    assert index.say("SET", b"\xff", "v", "EX", 100) == Status("OK")
    assert index.say("GET", b"\xff") == b"v"
    assert 0 < index.say("TTL", b"\xff") <= 100
    assert index.say("SET", b"\xff", "w", "NX") is None
    assert index.say("MEM.CARD", b"\xff") == wrong
    assert index.say("GET", "k") == wrong
    assert index.say("HSET", "k", "a", "b") == wrong
    assert index.say("HSET", "none", "a", "b").text.startswith("ERR unknown command 'HSET'")
    assert index.say("SCAN", 0, "TYPE", "string") == [b"0", [b"\xff"]]
    assert index.say("SCAN", 0, "MATCH", "?", "TYPE", "memory") == [b"0", [b"k"]]
    assert index.say("SET", "k", "text") == Status("OK")
    assert index.say("TYPE", "k") == Status("string")
    assert index.say("DEL", "k", b"\xff", "none") == 2


# --- the server -------------------------------------------------------------------------------


def test_command_describes_every_command(line: Line) -> None:
    assert line.say("COMMAND", "COUNT") == len(TABLE)
    listed = line.say("COMMAND")
    assert [one[0].decode() for one in listed] == [*TABLE]
    (add,) = line.say("COMMAND", "INFO", "MEM.ADD")
    assert add[:6] == [b"mem.add", -2, [Status("write")], 1, 1, 1]
    assert line.say("COMMAND", "INFO", "nosuch") == [None]
    line.say("HELLO", "3")
    docs = line.say("COMMAND", "DOCS")
    assert set(docs) == {name.encode() for name in TABLE}
    for name, shown in docs.items():
        assert shown[b"summary"].endswith(b"."), name
        assert {b"since", b"group", b"arguments"} <= shown.keys()
    tokens = {one.get(b"token") for one in docs[b"mem.query"][b"arguments"]}
    assert {b"TEXT", b"FVEC", b"FILTER", b"TOPK", b"FUSION"} <= tokens


def test_info_has_sections_and_one_is_about_the_indexes(index: Line) -> None:
    index.say("MEM.ADD", "k", "TEXT", "alpha beta")
    told = index.say("INFO", "memorydb").decode()
    assert told.startswith("# Memorydb\r\n")
    assert "memory_indexes:1\r\n" in told
    assert "memory_records:1\r\n" in told
    assert "memory_terms:2\r\n" in told
    everything = index.say("INFO").decode()
    for section in ("Server", "Clients", "Memory", "Persistence", "Stats", "Keyspace", "Memorydb"):
        assert f"# {section}\r\n" in everything
    assert "redis_version:" in everything
    assert index.say("INFO", "nosuch") == b""


def test_config_shows_and_sets_limits_of_this_process(line: Line) -> None:
    assert line.say("CONFIG", "GET", "mem-max-t*", "port") == [
        *(b"port", b"7171", b"mem-max-topk", b"100", b"mem-max-text-bytes", b"65536"),
        *(b"mem-max-terms-per-doc", b"1024"),
    ]
    assert line.say("CONFIG", "SET", "MEM-MAX-TOPK", "7") == Status("OK")
    assert line.say("CONFIG", "GET", "mem-max-topk") == [b"mem-max-topk", b"7"]
    for name, value in (
        ("port", "1"),
        ("nosuch", "1"),
        ("mem-max-topk", "0"),
        ("mem-max-topk", "x"),
    ):
        assert isinstance(line.say("CONFIG", "SET", name, value), Error)


def test_a_number_is_spelled_as_klyro_spells_one_of_32_bits(index: Line) -> None:
    index.say("HELLO", "3")
    index.say("MEM.CONFIG", "k", "WEIGHTS", "0.1", "1e-3", "1e20", "33.333333333")
    assert [*index.say("MEM.INFO", "k")[b"weights"].values()] == [
        Double("0.1"),
        Double("0.001"),
        Double("100000000000000000000"),
        Double("33.333332"),
    ]


# --- better than klyro, on purpose ------------------------------------------------------------


def test_scanning_while_deleting_skips_nothing(index: Line) -> None:
    index.all(*(("MEM.ADD", "k", "ID", f"r{number:02}", "TEXT", "t") for number in range(30)))
    seen: list[bytes] = []
    cursor = b"0"
    while True:
        cursor, page = index.say("MEM.SCAN", "k", cursor, "COUNT", 3)
        seen += page
        if page:
            index.say("MEM.DEL", "k", *page)
        if cursor == b"0":
            break
    assert seen == [f"r{number:02}".encode() for number in range(30)]
    assert index.say("MEM.CARD", "k") == 0


def test_two_who_scan_while_others_delete_keep_their_places(index: Line) -> None:
    index.all(*(("MEM.ADD", "k", "ID", f"r{number}", "TEXT", "t") for number in range(9)))
    first, _ = index.say("MEM.SCAN", "k", 0, "COUNT", 3)
    index.say("MEM.DEL", "k", "r0")
    second, page = index.say("MEM.SCAN", "k", 0, "COUNT", 3)
    assert page == [b"r1", b"r2", b"r3"]
    assert first != second
    assert index.say("MEM.SCAN", "k", first, "COUNT", 2)[1] == [b"r3", b"r4"]
    assert index.say("MEM.SCAN", "k", second, "COUNT", 2)[1] == [b"r4", b"r5"]
    assert "begin again" in index.say("MEM.SCAN", "k", 2**41).text


def test_what_has_expired_and_is_stored_again_is_new(index: Line, clock: Clock) -> None:
    index.say("MEM.ADD", "k", "ID", "a", "TEXT", "old", "META", "m", "1", "TTL", 1)
    clock.move(seconds=2)
    assert index.say("MEM.CARD", "k") == 0
    assert index.say("MEM.ADD", "k", "ID", "a", "TEXT", "new", "NX") == b"a"
    shown = index.say("MEM.GET", "k", "a", "WITHMETA")
    assert (shown[-3], shown[-1]) == (-1, [])


def test_a_life_that_is_too_long_is_refused(index: Line) -> None:
    index.say("MEM.ADD", "k", "ID", "a", "TEXT", "t")
    for command in (
        ("MEM.ADD", "k", "TEXT", "t", "TTL"),
        ("MEM.EXPIRE", "k", "a"),
        ("EXPIRE", "k"),
    ):
        assert isinstance(index.say(*command, 2**63 - 1), Error)
        assert isinstance(index.say(*command, 10**15), Error)


def test_only_what_matches_counts_for_the_limit_of_a_scan(line: Line) -> None:
    line.say("MEM.CREATE", "v", "DIM", 2)
    for number in range(5):
        line.say("MEM.ADD", "v", "TEXT", "t", "FVEC", 2, 1, number, "META", "n", number)
    line.say("CONFIG", "SET", "mem-max-scan", 2)
    assert isinstance(line.say("MEM.VSEARCH", "v", "FVEC", 2, 1, 1), Error)
    assert len(line.say("MEM.VSEARCH", "v", "FVEC", 2, 1, 1, "FILTER", "n", "LT", 2)) == 2


def test_an_index_whose_time_is_over_is_gone_and_can_be_made_anew(
    index: Line, clock: Clock, memory: Memory
) -> None:
    index.say("MEM.ADD", "k", "TEXT", "old")
    assert index.say("EXPIRE", "k", 10) == 1
    clock.move(seconds=11)
    assert index.say("EXISTS", "k") == 0
    assert index.say("MEM.CREATE", "k", "MODE", "SEARCH") == Status("OK")
    assert index.say("MEM.CARD", "k") == 0
    assert memory.count(namespace="k").count == 0


def test_a_fault_of_one_command_leaves_the_others_of_its_run(index: Line) -> None:
    assert index.all(
        ("MEM.ADD", "k", "ID", "a", "TEXT", "one"),
        ("MEM.ADD", "nokey", "TEXT", "two"),
        ("MEM.SETMETA", "k", "zzz", "a", "b"),
        ("MEM.ADD", "k", "ID", "a", "TEXT", "three", "NX"),
        ("MEM.ADD", "k", "ID", "b", "TEXT", "four"),
        ("MEM.DEL", "k", "a"),
        ("MEM.CARD", "k"),
    ) == [
        b"a",
        Error("ERR no such memory index"),
        Error("ERR no such record"),
        Error("ERR record existence condition not met"),
        b"b",
        1,
        1,
    ]


def test_a_key_that_is_no_text_costs_the_others_of_its_run_nothing(index: Line) -> None:
    missing = Error("ERR no such memory index")
    assert index.all(
        ("MEM.ADD", "k", "ID", "a", "TEXT", "one"),
        ("MEM.ADD", b"\xff", "ID", "a", "TEXT", "two"),
        ("MEM.ADD", b"\xff", "ID", "b", "TEXT", "two"),
        ("MEM.ADD", "", "ID", "b", "TEXT", "two"),
        ("MEM.ADD", "k", "ID", "b", "TEXT", "three"),
        ("MEM.CARD", "k"),
    ) == [b"a", missing, missing, missing, b"b", 2]
