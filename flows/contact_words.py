"""What contacts and institutions say to people, Portuguese and English side by side."""

from collections.abc import Mapping
from typing import Final

TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "action.create": (
        "a procurar, e criar se o serviço não os tiver",
        "to look up, and create where the service has none",
    ),
    "action.finish": ("criação sem resposta, a procurar", "creation without an answer, to look up"),
    "action.change_email": ("e-mail a mudar", "e-mail to change"),
    "action.ask_again": ("a consultar de novo", "to ask again"),
    "action.keep": ("como devem ser", "as they should be"),
    "action.favorite": ("conta favorita a marcar", "favorite account to mark"),
    "result.created": ("criado", "created"),
    "result.found": ("já existia no serviço", "was in the service already"),
    "result.email_changed": ("e-mail mudado", "e-mail changed"),
    "result.kept": ("como devia ser", "as it should be"),
    "result.waiting": (
        "criação recente sem resposta: procurada, ainda não está lá; sincronize mais tarde",
        "created a moment ago without an answer: looked up, not there yet; sync again later",
    ),
    "result.refused": ("recusado", "refused"),
    "result.in_doubt": (
        "sem resposta: a próxima sincronização procura antes de criar",
        "no answer: the next sync looks before it creates",
    ),
    "result.not_reached": ("não enviado", "not sent"),
    "favorite.marked": ("conta favorita marcada", "favorite account marked"),
    "favorite.failed": ("conta favorita não marcada ({why})", "favorite account not marked ({why})"),
    "favorite.no_such_account": (
        "o destino não está entre as contas que o serviço informou",
        "the destination is not among the accounts the service told",
    ),
    "favorite.several_accounts": (
        "várias contas se parecem com o destino; nenhuma foi marcada",
        "several accounts look like the destination; none was marked",
    ),
    "name_differs": (
        "o serviço tem outro nome ({name}); nenhuma chamada muda nomes",
        "the service has another name ({name}); no call changes names",
    ),
    "no_id": ("o serviço não informou o id", "the service told no id"),
    "left_out.row_problem": ("linha com problemas", "row with problems"),
    "left_out.no_name": ("sem nome", "no name"),
    "left_out.no_email": ("sem e-mail", "no e-mail"),
    "left_out.rows_differ": ("as linhas dizem nomes ou e-mails diferentes", "the rows say different names or e-mails"),
    "left_out": ("{count} favorecidos de fora:", "{count} payees left out:"),
    "place": ("{file} linha {row}", "{file} row {row}"),
    "not_named": (
        "{count} contatos lembrados não estão neste trabalho; ficam como estão",
        "{count} contacts on record are not in this job; they stay as they are",
    ),
    "preview": (
        "nada foi enviado; `repasse contacts sync {job} --apply` faz isto",
        "nothing was sent; `repasse contacts sync {job} --apply` does this",
    ),
    "nothing": ("nada a fazer: os contatos são como devem ser", "nothing to do: the contacts are as they should be"),
    "more": ("... e mais {count}; todos com --json", "... and {count} more; all of them with --json"),
    "none": (
        "nenhum contato lembrado; o serviço não sabe listá-los, `repasse contacts sync JOB` os conhece",
        "no contact on record; the service cannot list them, `repasse contacts sync JOB` gets to know them",
    ),
    "institutions.trouble": (
        "a lista de instituições não pôde ser lida: {reason}",
        "the list of institutions could not be read: {reason}",
    ),
    "institutions.too_old": (
        "a cópia da lista de instituições tem mais de {days} dias e não é usada",
        "the copy of the list of institutions is more than {days} days old and not used",
    ),
    "institutions.none": (
        "nenhuma instituição é conhecida; --refresh lê a lista do serviço",
        "no institution is known; --refresh reads the list from the service",
    ),
    "institutions.count": (
        "{shown} de {count} instituições, lidas em {read_at}",
        "{shown} of {count} institutions, read {read_at}",
    ),
}


def say(language: str, key: str, **facts: object) -> str:
    """Return a text in a language, with its facts filled in.

    >>> say("en", "left_out", count=2)
    '2 payees left out:'

    Raises:
        KeyError: there is no such text, or it wants a fact that was not given; a bug.
    """
    return TEXTS[key][0 if language == "pt-BR" else 1].format(**facts)
