"""Messages as tests compare them: written out."""

from schemas.messages import Listed, Message, render


def written(messages, language="en"):
    """Write several messages, texts among them as they are."""
    return tuple(render(Listed((message,)), language) for message in messages)


def saying(text):
    """A message that says just this, in every language."""
    return Message("file.all_refused", files=text)
