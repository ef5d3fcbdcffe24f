"""Address and key from a block of Prefect's, for workers whose environment names neither."""

from collections.abc import Iterator

import pytest

from flows.prefect_ui.deployments import RepasseCredentials, use_stored_credentials
from schemas.errors import ConfigurationError

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("prefect_database")]

URL = "https://service.example/external"


@pytest.fixture
def stored() -> Iterator[None]:
    RepasseCredentials(base_url=URL, api_key="k-123").save("repasse", overwrite=True)
    yield
    RepasseCredentials.delete("repasse")


def test_a_block_fills_in_what_the_environment_lacks(stored: None):
    environment: dict[str, str] = {}
    use_stored_credentials(environment)
    assert environment == {"REPASSE_API_URL": URL, "REPASSE_API_KEY": "k-123"}


@pytest.mark.parametrize("given", [{"REPASSE_API_URL": "sandbox"}, {"REPASSE_API_KEY": "other"}])
def test_what_the_environment_says_counts(stored: None, given: dict[str, str]):
    environment = dict(given)
    use_stored_credentials(environment)
    assert environment == given


def test_a_block_that_is_named_and_not_there_is_an_error_and_names_no_key():
    with pytest.raises(ConfigurationError, match="repasse-credentials/elsewhere"):
        use_stored_credentials({"REPASSE_CREDENTIALS_BLOCK": "elsewhere"})


def test_a_key_is_shown_nowhere():
    assert "k-123" not in repr(RepasseCredentials(base_url=URL, api_key="k-123"))
