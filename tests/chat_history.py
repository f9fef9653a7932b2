"""A chat template under which a conversation rendered anew has the tokens that a policy wrote and read."""

from pathlib import Path

NEWLINE = "{{ '\\n' }}"
OPENED = "<|im_start|>{{ message.role }}" + NEWLINE
THINK = f"{{% if message.role == 'assistant' %}}<think>{NEWLINE * 2}</think>{NEWLINE * 2}{{% endif %}}"


def repeating(template: str) -> str:
    """The demo's template, with the empty think block before every turn of the model and not only the newest."""
    assert OPENED in template
    return template.replace(OPENED, OPENED + THINK)


def repeats_openings(model: Path) -> None:
    """Gives a saved tokenizer that template."""
    file = model / "chat_template.jinja"
    file.write_text(repeating(file.read_text(encoding="utf-8")), encoding="utf-8")
