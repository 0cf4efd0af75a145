"""The server over real connections: any client, many of them, and ones that talk nonsense."""

import gc
import re
import signal
import socket
import threading
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from subprocess import PIPE, Popen
from typing import BinaryIO

import pytest
from tests.memory.remembering import Clock, open_at
from tests.surfaces.resp.speaking import connected, encode, read_reply, redis_client, served
from tests.surfaces.running import start_winnow

from winnow.memory import Memory
from winnow.store.sqlite.upkeep.restoring import restore_store
from winnow.surfaces.cli.resp import serving
from winnow.surfaces.resp import session
from winnow.surfaces.resp.server import RespServer


@pytest.fixture
def server(memory: Memory) -> Generator[RespServer]:
    with served(memory) as running:
        yield running


def started(store: Path, *command: str) -> tuple[Popen[bytes], int]:
    """Start the command, and return the port of the Redis protocol when it listens."""
    errors = store.with_name("resp.log")
    with errors.open("wb") as log:
        process = start_winnow("--store", str(store), *command, stdout=PIPE, stderr=log)
    while process.poll() is None:
        told = errors.read_text(encoding="utf-8")
        found = re.search(r"listening on \S+:(\d+) \(Redis protocol\)", told)
        if found:
            return process, int(found[1])
    raise AssertionError(errors.read_text(encoding="utf-8"))


def finish(process: Popen[bytes]) -> int:
    if process.stdout is not None:
        process.stdout.close()
    return process.wait()


@pytest.mark.parametrize("version", [2, 3])
def test_redis_py_makes_a_round_trip_as_it_comes(server: RespServer, version: int) -> None:
    """F118: a client that begins with HELLO 3 and CLIENT SETINFO is at home."""
    with redis_client(server.port, protocol=version, client_name="me") as client:
        call = client.execute_command
        assert client.ping()
        assert call("MEM.CREATE", "user:1", "DIM", 2) in (b"OK", True)
        with client.pipeline(transaction=True) as lines:
            lines.execute_command("MEM.ADD", "user:1", "TEXT", "alpha", "FVEC", 2, 1, 0)
            lines.execute_command("MEM.ADD", "user:1", "TEXT", "beta", "FVEC", 2, 0, 1)
            lines.execute_command("MEM.CARD", "user:1")
            assert lines.execute() == [b"m1", b"m2", 2]
        hits = call("MEM.QUERY", "user:1", "TEXT", "alpha", "FVEC", 2, 1, 0, "WITHSCORES")
        shown = hits[0]
        if version == 2:
            shown = dict(zip(shown[::2], shown[1::2], strict=True))
        assert (shown[b"id"], shown[b"text"]) == (b"m1", b"alpha")
        assert float(shown[b"vector_score"]) == pytest.approx(1)
        assert client.info("memorydb")["memory_records"] == 2
        assert client.dbsize() == 1
        assert client.client_getname() in (b"me", "me")
        assert client.config_get("mem-max-topk") in (
            {b"mem-max-topk": b"100"},
            {"mem-max-topk": "100"},
        )
        assert {"mem.add", "ping"} <= set(client.command())
        assert call("GET", "nothing") is None
        assert client.delete("user:1") == 1


def test_words_typed_by_hand_are_answered(server: RespServer) -> None:
    with connected(server.port) as (line, replies):
        line.sendall(b'PING\r\nECHO "a b"\r\nPING\n')
        assert [replies.readline() for _ in range(4)] == [
            b"+PONG\r\n",
            b"$3\r\n",
            b"a b\r\n",
            b"+PONG\r\n",
        ]


@pytest.mark.parametrize(
    "nonsense",
    [
        b"*1\r\n$-1\r\n",
        b"*1\r\n$99999999999\r\n",
        b"*-5\r\n*1\r\n:1\r\n",
        b"\x00\xff\x00" * 40_000,
        b'ECHO "\r\n',
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n*a\r\n",
    ],
)
def test_a_broken_frame_costs_its_connection_an_error_and_nobody_else_anything(
    server: RespServer, nonsense: bytes
) -> None:
    with connected(server.port) as (good, answers):
        with connected(server.port) as (bad, replies):
            bad.sendall(encode("PING") + nonsense)
            assert replies.readline() == b"+PONG\r\n"
            rest = replies.read()  # to the end: the connection is closed
            assert b"-ERR Protocol error: " in rest
        good.sendall(encode("PING"))
        assert answers.readline() == b"+PONG\r\n"


def test_a_client_that_goes_in_the_middle_of_a_command_is_no_matter(server: RespServer) -> None:
    for cut in range(1, 25, 4):
        with connected(server.port) as (line, _):
            line.sendall(encode("MEM.CREATE", "k", "DIM", "2")[:cut])
    with connected(server.port) as (line, replies):
        line.sendall(encode("EXISTS", "k"))
        assert read_reply(replies) == 0


def test_two_hundred_idle_and_fifty_busy_connections_are_served(server: RespServer) -> None:
    with ExitStack() as stack:
        idle = [stack.enter_context(connected(server.port)) for _ in range(200)]
        with connected(server.port) as (line, replies):
            line.sendall(encode("MEM.CREATE", "k", "MODE", "SEARCH"))
            assert read_reply(replies).text == "OK"
        failures: list[BaseException] = []

        def work(number: int) -> None:
            try:
                with connected(server.port) as (own, answers):
                    for step in range(10):
                        own.sendall(encode("MEM.ADD", "k", "ID", f"{number}-{step}", "TEXT", "t"))
                        assert read_reply(answers) == f"{number}-{step}".encode()
                        own.sendall(encode("MEM.GET", "k", f"{number}-{step}", "NOTEXT"))
                        assert read_reply(answers)[1] == f"{number}-{step}".encode()
            except BaseException as error:
                failures.append(error)
                raise

        threads = [threading.Thread(target=work, args=(number,)) for number in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures
        for line, replies in idle:
            line.sendall(encode("MEM.CARD", "k"))
            assert read_reply(replies) == 500


def test_one_connection_too_many_is_told_so(memory: Memory) -> None:
    with served(memory, most_clients=2) as server, ExitStack() as stack:
        for _ in range(2):
            line, replies = stack.enter_context(connected(server.port))
            line.sendall(encode("PING"))
            assert read_reply(replies).text == "PONG"
        _, refused = stack.enter_context(connected(server.port))
        assert refused.readline() == b"-ERR max number of clients reached\r\n"


def test_the_server_stops_while_clients_wait_and_answers_what_it_has_begun(memory: Memory) -> None:
    with served(memory) as server, connected(server.port) as (line, replies):
        port = server.port
        line.sendall(encode("MEM.CREATE", "k", "MODE", "SEARCH"))
        assert read_reply(replies).text == "OK"
        server.stop()
        assert replies.read() == b""
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), timeout=1)


def test_the_command_serves_alone_until_a_signal_comes(tmp_path: Path) -> None:
    process, port = started(tmp_path / "w.db", "resp", "--port", "0")
    with redis_client(port) as client:
        assert client.execute_command("MEM.CREATE", "k", "MODE", "SEARCH")
        assert client.execute_command("MEM.ADD", "k", "TEXT", "alpha") == b"m1"
        process.send_signal(signal.SIGTERM)
        assert finish(process) == 0
    process, port = started(tmp_path / "w.db", "resp", "--port", "0")
    with redis_client(port) as client:
        assert client.execute_command("MEM.CARD", "k") == 1
        process.send_signal(signal.SIGINT)
        assert finish(process) == 0


def test_serve_has_it_beside_http(tmp_path: Path) -> None:
    process, port = started(tmp_path / "w.db", "serve", "--port", "0", "--resp-port", "0")
    with redis_client(port) as client:
        assert client.ping()
        process.send_signal(signal.SIGTERM)
        assert finish(process) == 0


def test_nothing_acknowledged_is_lost_when_the_server_is_killed_in_the_midst(
    tmp_path: Path,
) -> None:
    process, port = started(tmp_path / "w.db", "resp", "--port", "0")
    lines = b"".join(
        encode("MEM.ADD", "k", "ID", f"r{number}", "TEXT", f"text {number}", "META", "n", number)
        for number in range(20_000)
    )
    acknowledged: list[str] = []
    with connected(port) as (line, replies):
        line.sendall(encode("MEM.CREATE", "k", "MODE", "SEARCH"))
        assert read_reply(replies).text == "OK"
        sender = threading.Thread(target=_send, args=(line, lines))
        sender.start()
        for name in _read_names(replies):
            acknowledged.append(name)
            if len(acknowledged) == 3_000:
                process.kill()
        finish(process)
        sender.join()
    assert 3_000 <= len(acknowledged) < 20_000

    process, port = started(tmp_path / "w.db", "resp", "--port", "0")
    with redis_client(port, protocol=2) as client:
        call = client.execute_command
        found = call("MEM.MGET", "k", *acknowledged)
        assert [one[1].decode() for one in found] == acknowledged
        assert call("MEM.SCAN", "k", 0, "COUNT", 1, "FILTER", "n", "EQ", 2999)[0] != b"0"
        assert call("MEM.SEARCH", "k", "2999", "NOTEXT")[0][1] == b"r2999"
    process.kill()
    finish(process)


def _read_names(replies: BinaryIO) -> Iterator[str]:
    """Yield the names that are acknowledged, until the server is gone."""
    try:
        while (head := replies.readline()).endswith(b"\r\n"):
            name = replies.read(int(head[1:]) + 2)
            if not name.endswith(b"\r\n"):
                return
            yield name[:-2].decode()
    except ConnectionResetError:
        return


def _send(line: socket.socket, data: bytes) -> None:
    try:
        line.sendall(data)
    except OSError:
        return  # the server is gone


def test_whole_commands_are_answered_though_the_next_one_never_ends(server: RespServer) -> None:
    with connected(server.port) as (line, file):
        line.sendall(encode("PING") * 3 + encode("ECHO", "x" * 100)[:40])
        assert [read_reply(file) for _ in range(3)] == [read_reply_of(b"+PONG\r\n")] * 3
        line.sendall(encode("ECHO", "x" * 100)[40:])
        assert read_reply(file) == b"x" * 100


def test_what_comes_in_pieces_is_one_change(server: RespServer) -> None:
    store = server.service.engine.store
    with connected(server.port) as (line, file):
        line.sendall(encode("MEM.CREATE", "k", "MODE", "SEARCH"))
        read_reply(file)
        before = store.last_change().number
        data = b"".join(encode("MEM.ADD", "k", "TEXT", f"{n}" * 2_000) for n in range(300))
        line.sendall(data)
        assert [read_reply(file) for _ in range(300)] == [b"m%d" % n for n in range(1, 301)]
    assert store.last_change().number - before <= len(data) // 65_536


def test_a_broken_frame_at_the_end_of_a_pipeline_ends_it(server: RespServer) -> None:
    with connected(server.port) as (line, file):
        line.sendall(encode("PING") + b"*1\r\n$x\r\n*1")
        assert read_reply(file) == read_reply_of(b"+PONG\r\n")
        assert b"Protocol error" in file.readline()
        assert file.read() == b""


def read_reply_of(data: bytes) -> object:
    return read_reply(BytesIO(data))


def test_garbage_is_looked_for_less_often_while_the_program_serves(memory: Memory) -> None:
    before = gc.get_threshold()
    with serving(memory, "127.0.0.1", 0) as told:
        found = re.search(r"listening on \S+:(\d+) \(Redis protocol\)", told)
        assert found is not None
        with redis_client(int(found[1])) as client:
            assert client.ping()
        assert gc.get_threshold()[0] > before[0]
    assert gc.get_threshold() == before


def test_who_is_connected_when_a_backup_takes_the_place_of_the_store_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "CHECK_SECONDS", 0.0)
    store, backup = tmp_path / "w.db", tmp_path / "backup"
    with open_at(store, Clock()) as memory, served(memory) as running:
        with connected(running.port) as (one, file):
            one.sendall(encode("PING"))
            assert "PONG" in str(read_reply(file))
            memory.store("a")
            memory.admin.backup(str(backup))
            restore_store(backup, store, replace=True)
            one.sendall(encode("PING") + encode("MEM.CARD", "a"))
            for _ in range(2):
                assert "a backup has taken the place" in str(read_reply(file))
        with connected(running.port) as (_, file):
            assert "a backup has taken the place" in str(read_reply(file))
            assert file.read() == b""
