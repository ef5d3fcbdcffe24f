"""Each member of an archive of several has a path of its own; an archive that is not to be trusted has one alone."""

from zipfile import ZipFile

import pytest

from io_adapters.spreadsheets.files import opened_content, split_member
from io_adapters.spreadsheets.readers import members_of
from io_adapters.spreadsheets.unpacking import plain_file


def archive(path, *names):
    with ZipFile(path, "w") as packed:
        for name in names:
            packed.writestr(name, f"a;b\n{name};1\n")
    return str(path)


def test_each_member_is_opened_by_its_own_path_and_has_an_identity_of_its_own(tmp_path):
    path = archive(tmp_path / "two.zip", "2026/one.csv", "2026/two.csv", "__MACOSX/._one.csv", ".DS_Store")
    paths = members_of(path)
    assert paths == [f"{path}!one.csv", f"{path}!two.csv"]
    found = []
    for member in paths:
        with opened_content(member) as content:
            plain = plain_file(content.stream, content.spare, content.member, content.place)
            assert plain.stream.read().endswith(b";1\n")
            found.append((content.name_only.name, plain.name, plain.packing, content.identity().sha256))
            content.check_unchanged()
    assert [one[:3] for one in found] == [("two.zip!one.csv", "one.csv", "zip"), ("two.zip!two.csv", "two.csv", "zip")]
    assert found[0][3] != found[1][3]


@pytest.mark.parametrize(
    "names", [["one.csv"], ["one.csv", "../two.csv"], ["a/one.csv", "b/one.csv"], ["a!b.csv", "c"]]
)
def test_an_archive_of_one_or_with_names_that_are_not_to_be_trusted_keeps_its_path(tmp_path, names):
    path = archive(tmp_path / "other.zip", *names)
    assert members_of(path) == [path]


def test_what_is_no_archive_keeps_its_path(tmp_path):
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04 nothing")
    assert members_of(str(tmp_path / "x.zip")) == [str(tmp_path / "x.zip")]
    assert members_of(str(tmp_path / "gone.zip")) == [str(tmp_path / "gone.zip")]


def test_a_file_whose_name_is_like_a_member_s_is_that_file(tmp_path):
    path = tmp_path / "a.zip!b.csv"
    path.write_text("x")
    assert split_member(str(path)) == (str(path), "")
