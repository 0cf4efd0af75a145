"""Who may come in: the Host and Origin of a request, and its key."""

import re
from dataclasses import dataclass, field

from starlette.datastructures import Headers

from winnow.memory import Memory
from winnow.surfaces.authenticate import Attempts, find_access, is_loopback, needs_key
from winnow.surfaces.http.problems import Refusal

REALM = 'Bearer realm="winnow"'


@dataclass(frozen=True, slots=True)
class Gate:
    """Lets a request in with what its key allows. `local` servers are bound to loopback alone."""

    memory: Memory
    local: bool
    attempts: Attempts = field(default_factory=Attempts)

    def admit(self, headers: Headers, address: str) -> Memory:
        """Return the memory as the sender of a request may see it; raise Refusal if not at all."""
        _check_length(headers)
        if needs_key(self.memory, local=self.local):
            return self._admit_with_key(headers, address)
        _check_host(headers)
        _check_origin(headers)
        return self.memory

    def _admit_with_key(self, headers: Headers, address: str) -> Memory:
        given = headers.getlist("authorization")
        scheme, _, secret = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        if scheme.lower() != "bearer" or not secret.strip():
            detail = "a key is needed: send Authorization: Bearer KEY"
            raise Refusal(401, "unauthorized", detail, {"www-authenticate": REALM})
        access = find_access(self.memory, secret.strip())
        if access is not None:
            return self.memory.restricted(access)
        if wait := self.attempts.fail(address):
            detail = "too many wrong keys from this address; wait before the next"
            raise Refusal(429, "too_many_attempts", detail, {"retry-after": str(wait)})
        challenge = {"www-authenticate": f'{REALM}, error="invalid_token"'}
        raise Refusal(401, "unauthorized", "there is no such key, or it was revoked", challenge)


def _check_length(headers: Headers) -> None:
    """Refuse what says twice where its body ends: who stands before us may read it otherwise."""
    if "transfer-encoding" in headers and "content-length" in headers:
        detail = "Transfer-Encoding and Content-Length are both given; leave one of them out"
        raise Refusal(400, "ambiguous_length", detail, {"connection": "close"})


def _check_host(headers: Headers) -> None:
    """Refuse a name that leads here through DNS: a page of the web may have set it up."""
    found = _HOST.fullmatch(headers.get("host", ""))
    host = (found[1] or found[2]).lower() if found else ""
    if not (host == "localhost" or is_loopback(host)):
        detail = "without keys only requests to localhost are answered; the Host is another"
        raise Refusal(421, "foreign_host", detail)


def _check_origin(headers: Headers) -> None:
    """Refuse what a page of another site sends from the user's browser."""
    origin, host = headers.get("origin"), headers.get("host", "").lower()
    if origin is not None and origin.lower() not in (f"http://{host}", f"https://{host}"):
        raise Refusal(403, "foreign_origin", "pages of other sites may not send requests here")


# Nothing but a name or an address, and a port: what else could stand here is read in many ways.
_HOST = re.compile(r"(?:([A-Za-z0-9.]{1,253})|\[([0-9A-Fa-f:.]{2,45})\])(?::[0-9]{1,5})?")
