"""TLS as a company's network wants it: its own certificates trusted beside the usual ones, a client certificate."""

import ssl
from functools import cache

import certifi

from schemas.egress import Egress
from schemas.errors import ConfigurationError
from schemas.messages import Message


@cache
def tls_context(egress: Egress) -> ssl.SSLContext:
    """Return what verifies certificates; made once, since reading them takes longer than many a request.

    Nothing of the environment's variables takes part in it.

    Raises:
        ConfigurationError: a file cannot be read, or holds no certificate, or no key.
    """
    context = ssl.create_default_context(cafile=certifi.where())
    for path, load in ((egress.ca_file, context.load_verify_locations), (egress.client_cert, context.load_cert_chain)):
        if path:
            try:
                load(path)
            except (OSError, ssl.SSLError) as error:
                raise ConfigurationError(Message("error.certificate", path=path, kind=type(error).__name__)) from None
    return context
