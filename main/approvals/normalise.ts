/** Normalisation before parsing, with a map back: what is read is what the eye sees, not what escape codes hide. */
import { openBlocks } from './parse/program-windows.ts';
import { MARKERS, mappedSource, plainSource, type Source } from './parse/text.ts';

/** CSI, OSC, DCS and the other string escapes, two- and three-character escapes, and their 8-bit C1 forms (ECMA-48). */
const ANSI =
  // eslint-disable-next-line no-control-regex -- control characters are what this expression is for
  /\x1b\[[0-?]*[ -/]*[@-~]|\x9b[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c\x90\x98\x9d-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]|[\x80-\x9f]/g;
/** Characters that take no room and carry no meaning for a program name: zero width, bidi controls, soft hyphen, NUL. */
// eslint-disable-next-line no-control-regex, no-misleading-character-class -- invisible characters are what this expression is for
const INVISIBLE = /[\x00\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]/g;
const CONTINUATION = /\\\r?\n/g;
const LINE_END = /\r\n/g;
/** Blanks to the eye and to some programs, though not to bash. */
const ODD_BLANK = /[\v\f]/g;
/** A command of only these characters, without a backslash before a line end, is its own normal form. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;

/** Whether two of the readings of a command differ is the caller's business; `changed` says that they do. */
export interface Normalised {
  readonly source: Source;
  readonly changed: boolean;
}

/** The command as written, with only this folder's own marker characters taken out; offsets stay as they are. */
export function rawSource(command: string): Source {
  return plainSource(command.replace(MARKERS, '\uFFFD'));
}

/**
 * The normal form of section 4.2: escape sequences and invisible characters out, NFKC, continuations joined, CRLF to LF.
 * Offsets of the source map to UTF-16 offsets in `command`.
 */
export function normalise(command: string): Normalised {
  if (PLAIN.test(command) && !command.includes('\\\n')) return { source: plainSource(command), changed: false };
  const edit = new Edit(command);
  edit.replace(ANSI, () => '');
  edit.replace(INVISIBLE, () => '');
  edit.replace(MARKERS, () => '\uFFFD');
  edit.replace(/[^\x00-\x7f]\p{M}*/gu, (piece) => piece.normalize('NFKC')); // eslint-disable-line no-control-regex -- NUL to DEL is plain ASCII
  edit.replace(CONTINUATION, () => '');
  edit.replace(LINE_END, () => '\n');
  edit.replace(ODD_BLANK, () => ' ');
  return edit.done(command);
}

/** A path with backslashes: behind a drive letter, a server, a variable, `~` or `.`. */
const WINDOWS_PATH = /(?:(?<![\w])[A-Za-z]:|\\\\[\w.?]+|%\w+%|\$env:\w+|(?<![^\s"'=(])(?:\.{1,2}|~|\$HOME))(?:\\[^\s"'|&;<>]*)+/gi;

/** The text with backslashes as slashes in its Windows paths; `undefined` when it has none. Offsets are those of `source`. */
export function windowsPaths(source: Source): Source | undefined {
  const text = source.text.replace(WINDOWS_PATH, (path) => path.replaceAll('\\', '/'));
  return text === source.text ? undefined : { ...source, text };
}

/** Words that only PowerShell has: commands named verb-noun, its short names, `$env:`, `[Type]::`. */
const POWERSHELL = /(?:^|[\s;|&({=])(?:(?:add|clear|compare|compress|convertfrom|convertto|copy|disable|dismount|enable|enter|expand|export|foreach|format|get|group|import|initialize|install|invoke|join|limit|measure|mount|move|new|out|pop|push|read|receive|register|remove|rename|reset|resolve|restart|restore|resume|select|send|set|show|sort|split|start|stop|suspend|tee|test|uninstall|unregister|update|wait|where|write)-[a-z]{3,}|iex|iwr|irm|gci|ri|spps|sls)(?=[\s;|&)}(]|$)|\$env:\w|\]::\w/im;

/**
 * PowerShell text as lines that the shell reader can follow: its blocks and parentheses become separate commands.
 * `undefined` for what does not look like PowerShell or has no blocks. Offsets are those of `source`.
 */
export function powershellBlocks(source: Source): Source | undefined {
  if (!/[{}()]/.test(source.text) || !POWERSHELL.test(source.text)) return undefined;
  const text = openBlocks(source.text);
  return text === source.text ? undefined : { ...source, text };
}

class Edit {
  private text: string;
  private map: Uint32Array;

  constructor(text: string) {
    this.text = text;
    this.map = new Uint32Array(text.length + 1);
    for (let index = 0; index <= text.length; index++) this.map[index] = index;
  }

  replace(pattern: RegExp, by: (piece: string) => string): void {
    const pieces: string[] = [];
    const offsets: number[] = [];
    let from = 0;
    const keep = (to: number): void => {
      if (to === from) return;
      pieces.push(this.text.slice(from, to));
      for (let index = from; index < to; index++) offsets.push(this.map[index] ?? 0);
    };
    for (const match of this.text.matchAll(pattern)) {
      const replacement = by(match[0]);
      if (replacement === match[0]) continue;
      keep(match.index);
      pieces.push(replacement);
      for (let index = 0; index < replacement.length; index++) offsets.push(this.map[match.index] ?? 0);
      from = match.index + match[0].length;
    }
    if (from === 0) return;
    keep(this.text.length);
    offsets.push(this.map[this.text.length] ?? 0);
    this.text = pieces.join('');
    this.map = Uint32Array.from(offsets);
  }

  done(original: string): Normalised {
    return { source: mappedSource(this.text, this.map), changed: this.text !== original };
  }
}
