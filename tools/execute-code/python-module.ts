/** `hermes_tools.py`: the tools of the chat as Python functions, made from their schemas. Runs on Python 3.8 and newer. */
import type { Connection, ScriptFunction } from './languages.ts';

const text = (value: string): string => JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

export function pythonModule(functions: readonly ScriptFunction[], { folder, socket, token }: Connection): string {
  return `"""Tools of the chat that this script runs for. Every call returns what the tool answers, a dict where it is JSON."""
import itertools as _itertools
import json as _json
import os as _os
import re as _re
import shlex as _shlex
import socket as _socket
import time as _time

_FOLDER = ${text(folder)}
_SOCKET = ${socket === undefined ? 'None' : text(socket)}
_TOKEN = ${text(token)}
_numbers = _itertools.count(1)


def _by_socket(line):
    with _socket.socket(_socket.AF_UNIX) as link:
        link.connect(_SOCKET)
        link.sendall(line.encode("utf-8") + b"\\n")
        with link.makefile("rb") as answer:
            return answer.readline().decode("utf-8")


def _by_files(line):
    base = _os.path.join(_FOLDER, "%d-%d" % (_os.getpid(), next(_numbers)))
    with open(base + ".part", "w", encoding="utf-8") as file:
        file.write(line)
    _os.rename(base + ".part", base + ".request")
    pause = 0.02
    while not _os.path.exists(base + ".answer"):
        if not _os.path.isdir(_FOLDER):
            raise RuntimeError("the runtime has ended this script")
        _time.sleep(pause)
        pause = min(pause * 1.5, 0.5)
    with open(base + ".answer", encoding="utf-8") as file:
        answer = file.read()
    _os.remove(base + ".answer")
    return answer


def _call(tool, args, raw=False):
    args = {name: value for name, value in args.items() if value is not None}
    line = _json.dumps({"token": _TOKEN, "tool": tool, "args": args, "raw": raw})
    answer = _by_files(line) if _SOCKET is None else _by_socket(line)
    if not answer:
        raise RuntimeError("the runtime has ended this script")
    try:
        return _json.loads(_json.loads(answer))
    except ValueError:
        return _json.loads(answer)

${functions.map(pythonFunction).join('\n')}

def json_parse(text):
    """JSON as models write it: in a code fence, with words around it, with commas too many."""
    try:
        return _json.loads(text)
    except ValueError:
        pass
    fence = _re.search(r"\`\`\`(?:json)?\\s*(.*?)\`\`\`", text, _re.S)
    body = (fence.group(1) if fence else text).strip()
    for attempt in (body, _re.sub(r",(\\s*[}\\]])", r"\\1", body)):
        starts = [place for place in (attempt.find("{"), attempt.find("[")) if place >= 0]
        try:
            return _json.JSONDecoder(strict=False).raw_decode(attempt[min(starts):] if starts else attempt)[0]
        except ValueError:
            continue
    raise ValueError("no JSON found in: " + text[:200])


def shell_quote(text):
    """The text as one word of a shell command."""
    return _shlex.quote(str(text))


def retry(function, attempts=3, delay=1.0):
    """Calls function until it raises nothing; waits longer each time. Raises what the last attempt raised."""
    for attempt in range(1, attempts + 1):
        try:
            return function()
        except Exception:
            if attempt == attempts:
                raise
            _time.sleep(delay * 2 ** (attempt - 1))
`;
}

function pythonFunction({ name, description, required, optional }: ScriptFunction): string {
  const raw = name === 'read_file' ? ['raw=False'] : [];
  const args = [...required, ...optional].map((property) => `${text(property)}: ${property}`).join(', ');
  return `
def ${name}(${[...required, ...optional.map((property) => `${property}=None`), ...raw].join(', ')}):
    ${text(description)}
    return _call(${text(name)}, {${args}}${raw.length > 0 ? ', raw' : ''})
`;
}
