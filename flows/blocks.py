"""The service's address and key, kept by Prefect: for workers whose environment should not hold them.

`prefect block register -m flows.blocks`, then fill in a block "repasse" of the type "Repasse credentials" in the UI.
Prefect encrypts the key at rest; whoever may use its API may read it back, so the server belongs behind a sign-in.
"""

import os
from collections.abc import MutableMapping
from typing import Final

from prefect.blocks.core import Block
from pydantic import Field, SecretStr

from schemas.errors import ConfigurationError

DEFAULT_NAME: Final = "repasse"


class RepasseCredentials(Block):
    """Where the payout service is, and the key that opens it.

    Attributes:
        base_url: Base URL with its prefix, such as https://host/external.
        api_key: Value of the Authorization header, as it is.
    """

    _block_type_name = "Repasse credentials"
    _block_type_slug = "repasse-credentials"
    _description = "Address and API key of the payout service."

    base_url: str = Field(title="Base URL", description="With its prefix, such as https://host/external.")
    api_key: SecretStr = Field(title="API key", description="Sent in the header Authorization, as it is.")


def use_stored_credentials(environment: MutableMapping[str, str] = os.environ) -> None:
    """Take address and key from the block where the environment names neither; what the environment says counts.

    REPASSE_CREDENTIALS_BLOCK names the block; without it, "repasse" is used where there is one.

    Effects: sets REPASSE_API_URL and REPASSE_API_KEY of this process.

    Raises:
        ConfigurationError: the block that is named cannot be had.
    """
    if environment.get("REPASSE_API_URL") or environment.get("REPASSE_API_KEY"):
        return
    named = environment.get("REPASSE_CREDENTIALS_BLOCK", "")
    try:
        block = RepasseCredentials.load(named or DEFAULT_NAME)
    except ValueError:  # there is no such block
        if named:
            raise ConfigurationError(
                f"Prefect holds no block repasse-credentials/{named}: fill one in, or set REPASSE_API_URL and _KEY"
            ) from None
        return
    except Exception as error:  # noqa: BLE001  # Prefect fails in many ways; what is missing then, settings will say
        if named:
            what = type(error).__name__
            raise ConfigurationError(f"the block repasse-credentials/{named} cannot be had ({what})") from None
        return
    if not isinstance(block, RepasseCredentials):  # within an event loop Prefect answers with a promise
        raise TypeError("credentials are loaded outside of event loops")
    environment["REPASSE_API_URL"] = block.base_url
    environment["REPASSE_API_KEY"] = block.api_key.get_secret_value()
