"""Every mistake in a job or layout file is told at once, with the line and column where it stands."""

import datetime as dt
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import pytest

from io_adapters.spreadsheets.declarations import (
    check_job,
    job_schema,
    known_layouts,
    layout_schema,
    policy_schema,
    read_job,
    read_layout,
)
from schemas.errors import ConfigurationError, ExitCode
from schemas.job import Job, PeriodRange
from schemas.layouts.layout import Layout, fold

JOB = """\
job: aurora-royalties
payer: {tax_id: 12.ABC.345/01DE-35, name: Selo Aurora}
period: 2026-10
sources:
  - files: royalties/distrokid-{period}*.tsv
    layout: distrokid
    exchange: {USD: {rate: "5.4312", date: 2026-10-31, source: PTAX}}
rules:
  minimum_payout: "50.00"
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "job.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        read_job(written(folder, text))
    assert caught.value.exit_code is ExitCode.CONFIGURATION
    return str(caught.value).splitlines()


def test_a_job_is_read_with_its_folder_and_exact_values(tmp_path):
    file = read_job(written(tmp_path, JOB))
    assert file.folder == tmp_path.resolve()
    assert file.job.period == "2026-10"
    assert file.job.rules.minimum_payout == 5000
    exchange = file.job.sources[0].exchange["USD"]
    assert (exchange.rate, exchange.date) == (Decimal("5.4312"), dt.date(2026, 10, 31))


def test_a_period_may_be_two_dates(tmp_path):
    job = read_job(written(tmp_path, JOB.replace("2026-10\n", "{start: 2026-10-01, end: 2026-10-15}\n", 1))).job
    assert job.period == PeriodRange(start=dt.date(2026, 10, 1), end=dt.date(2026, 10, 15))


def test_all_problems_are_told_in_one_go_in_the_order_of_the_file(tmp_path):
    text = JOB.replace("name:", "nme:").replace('"5.4312"', "5.4312").replace('"50.00"', "50.0")
    text += "  owner: remainer\n  minimum_payot: 1\n"
    told = problems(tmp_path, text)
    assert [line.split(": ")[0] for line in told] == [
        "job.yaml:2:1 payer.name",
        "job.yaml:2:37 payer.nme",
        "job.yaml:7:22 sources[0].exchange.USD.rate",
        "job.yaml:9:3 rules.minimum_payout",
        "job.yaml:10:3 rules.owner",
        "job.yaml:11:3 rules.minimum_payot",
    ]
    assert told[0].endswith("is required")
    assert told[1].endswith("is not a known key; did you mean name?")
    assert "quotes" in told[2]
    assert told[5].endswith("did you mean minimum_payout?")


def test_of_a_choice_between_two_shapes_only_the_one_meant_is_discussed(tmp_path):
    assert problems(tmp_path, JOB.replace("2026-10\n", "{start: 2026-10-01}\n", 1)) == [
        "job.yaml:3:1 period.end: is required"
    ]
    (line,) = problems(tmp_path, JOB.replace("2026-10\n", "2026-13\n", 1))
    assert line.startswith("job.yaml:3:1 period: ")
    inline = JOB.replace("layout: distrokid", "layout: {layout: own, title: Own, tabel: payments, columns: {}}")
    assert problems(tmp_path, inline) == [
        "job.yaml:6:5 sources[0].layout.table: is required",
        "job.yaml:6:39 sources[0].layout.tabel: is not a known key; did you mean table?",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("continues: aurora-royalties\n" + JOB, "continues is the name the job had before"),
        (JOB.replace("2026-10\n", "previous_month\n", 1).replace("-{period}", ""), "missing in royalties/distrokid"),
        ("currency: USD\n" + JOB, "reports in USD need foreign_currency"),
    ],
    ids=["continues itself", "a moving period with a fixed file", "dollars without a rate"],
)
def test_keys_that_contradict_each_other_are_told(tmp_path, text, told):
    (line,) = problems(tmp_path, text)
    assert told in line


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (JOB + "job: other\n", 'job.yaml:10:1 found duplicate key "job": each key may be given once'),
        (JOB + "rules: [1\n", "job.yaml:11:1 "),
        ("\tjob: x\n", "job.yaml:1:1 "),
        ("", "job.yaml:1:1 must be a mapping of keys"),
        (JOB + "---\njob: x\n", "job.yaml:10:1 "),
    ],
    ids=["duplicate key", "open list", "tab", "empty", "two documents"],
)
def test_what_is_not_sound_yaml_is_told_with_its_place(tmp_path, text, told):
    assert problems(tmp_path, text)[0].startswith(told)


def test_messages_never_repeat_a_document(tmp_path):
    twice = JOB.replace("name: Selo Aurora", "tax_id: 52998224725, name: Selo Aurora")
    wrong = JOB.replace("12.ABC.345/01DE-35", "529.982.247-26")
    unquoted = JOB.replace("12.ABC.345/01DE-35", "52998224725")
    for text in (twice, wrong, unquoted):
        told = "\n".join(problems(tmp_path, text))
        assert "52998224725" not in told
        assert "529.982" not in told
        assert "job.yaml:2:" in told


def test_a_missing_or_undecodable_job_file_is_a_configuration_error(tmp_path):
    with pytest.raises(ConfigurationError, match=r"none\.yaml does not exist"):
        read_job(tmp_path / "none.yaml")
    (tmp_path / "job.yaml").write_bytes(b"job: \xff")
    with pytest.raises(ConfigurationError, match="not UTF-8"):
        read_job(tmp_path / "job.yaml")


def test_the_schema_for_editors_accepts_amounts_and_patterns_as_people_write_them():
    schema = job_schema()
    rules = schema["$defs"]["Rules"]["properties"]
    assert {"type": "string"} in rules["minimum_payout"]["anyOf"]
    assert {"type": "string"} in schema["$defs"]["Source"]["properties"]["files"]["anyOf"]
    assert schema["required"] == ["job", "payer", "sources"]


@pytest.mark.parametrize("schema", [job_schema(), layout_schema(), policy_schema()], ids=["job", "layout", "policy"])
def test_editors_are_told_what_every_key_means(schema):
    for name, part in {"": schema, **schema["$defs"]}.items():
        for key, described in part.get("properties", {}).items():
            block = schema["$defs"].get(described.get("$ref", "").rpartition("/")[2], {})
            assert described.get("description") or block.get("description"), f"{name}.{key}"


def defaults_of(part):
    return {key: described["default"] for key, described in part["properties"].items() if "default" in described}


def test_what_an_editor_fills_in_for_a_key_is_what_leaving_it_out_means():
    schema = job_schema()
    blocks = {"rules": "Rules", "account_checks": "AccountCheckRules", "approval": "ApprovalRule", "settle": "Settle",
              "outputs": "Outputs", "service": "ServiceUse"}  # fmt: skip
    least = {
        "job": "a",
        "payer": {"tax_id": "12.ABC.345/01DE-35", "name": "Selo Aurora"},
        "sources": [{"files": "a.csv", "layout": "payments"}],
    }
    filled = {
        key: {
            inner: part["default"] for inner, part in schema["$defs"][name]["properties"].items() if "default" in part
        }
        for key, name in blocks.items()
    }
    assert filled["account_checks"]["budget"] == "25.00"
    assert filled["rules"]["minimum_payout"] == "0.00"
    assert Job.model_validate(least | defaults_of(schema) | filled) == Job.model_validate(least)


def test_a_layout_is_a_known_name_a_path_or_a_declaration(tmp_path):
    own = "layout: own\ntitle: Own\ntable: payments\ncolumns: {tax_id: [Doc], amount: [Pago]}\n"
    (tmp_path / "own.yaml").write_text(own)
    layout = read_layout("own.yaml", tmp_path)
    assert layout.columns == {"tax_id": ["Doc"], "amount": ["Pago"]}
    assert read_layout(layout, tmp_path) is layout
    assert read_layout("distrokid", tmp_path).currency == "USD"
    with pytest.raises(ConfigurationError, match=r"did you mean distrokid.*known are advances, .*distrokid"):
        read_layout("distokid", tmp_path)
    with pytest.raises(ConfigurationError, match="does not exist"):
        read_layout("other.yaml", tmp_path)
    (tmp_path / "own.yaml").write_text(own + "required: [name]\n")
    with pytest.raises(ConfigurationError, match=r"own\.yaml:1:1 required names columns that are not declared: name"):
        read_layout("own.yaml", tmp_path)


@pytest.mark.parametrize("name", known_layouts())
def test_a_layout_that_comes_with_repasse_is_unambiguous(name):
    layout: Layout = read_layout(name, Path())
    assert layout.layout == name
    owners: dict[str, str] = {}
    for column, aliases in [*layout.columns.items(), *(("ignored", [header]) for header in layout.ignored)]:
        for alias in aliases:
            assert owners.setdefault(fold(alias), column) == column, alias
    assert layout.required


HOSTILE = {
    "digits": "9" * 4_301, "signed": "-" + "9" * 5_000, "octal": "0o" + "7" * 4_000, "hex": "0x" + "f" * 4_000,
    "float": "1." + "9" * 3_000, "exponent": "1e999999999", "underscores": "_".join("1" * 2_500), "date": "2026-02-30",
    "time": "2026-10-01T99:99:99Z", "infinity": ".inf", "not a number": ".nan", "binary": "!!binary '%%%'",
    "python": "!!python/object/apply:os.system ['true']", "set": "!!set {a, b}", "omap": "!!omap [a: 1]", "null": "~",
}  # fmt: skip


@pytest.mark.parametrize(
    "key", ["rules: {minimum_payout: %s}", "period: %s", "job: %s", "settle: {every_s: %s}", "%s: 1"]
)
@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
def test_whatever_a_parser_makes_of_a_value_is_a_refusal_with_its_place_or_a_sound_job(key, value):
    sound = 'payer: {tax_id: "12.ABC.345/01DE-35", name: Selo}\nsources: [{files: p.csv, layout: payments}]\n'
    text = sound + "".join(f"{line}\n" for line in ("job: a", "period: 2026-10") if line[:4] != key[:4]) + key % value
    with suppress(ConfigurationError):
        check_job(text, "job.yaml")


@pytest.mark.parametrize("digits", [2_001, 4_301, 100_000])
def test_a_number_that_nobody_writes_is_refused_at_its_line(digits):
    with pytest.raises(ConfigurationError, match=r"job\.yaml:2:9"):
        check_job("job: a\nperiod: " + "9" * digits, "job.yaml")
