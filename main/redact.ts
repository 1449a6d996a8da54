/**
 * Hides secrets of known shapes in text that a model, a log or the database will see (hermes-runtime 5.4). What runs is never altered.
 * Every pattern is linear: repeated parts are bounded or cannot overlap, so hostile text costs no more than honest text.
 */
import { randomBytes } from 'node:crypto';

/**
 * `output`: whatever a command printed. `environment`: besides that `KEY=value` lines, for `env`, `printenv`, `.env` files; elsewhere such lines are code.
 * `file`: text of a file that the model may write back: placeholders that cannot be mistaken for the secret and never make a valid one.
 */
export type RedactMode = 'output' | 'file' | 'environment';
export type Redact = (text: string, mode?: RedactMode) => string;

/** Shorter tokens are hidden whole; of longer ones these many letters stay for recognition (hermes-runtime 5.4). */
const WHOLE_BELOW = 18;
const HEAD = 6;
const TAIL = 4;

/** Starts of tokens that name their vendor, with the letters that follow. One alternation, each start followed by a class without overlap. */
const PREFIXES = [
  String.raw`sk-(?:ant-|proj-|or-v1-|svcacct-|admin-)?[A-Za-z0-9_-]{10,}`, // OpenAI, Anthropic, OpenRouter, DeepSeek
  String.raw`gh[pousr]_[A-Za-z0-9]{10,}`, String.raw`github_pat_[A-Za-z0-9_]{10,}`, String.raw`glpat-[A-Za-z0-9_-]{10,}`, // GitHub, GitLab
  String.raw`xox[baprse]-[A-Za-z0-9-]{10,}`, String.raw`xapp-[A-Za-z0-9-]{10,}`, // Slack
  String.raw`AIza[A-Za-z0-9_-]{30,}`, String.raw`ya29\.[A-Za-z0-9_-]{20,}`, // Google
  String.raw`pplx-[A-Za-z0-9]{10,}`, String.raw`fal_[A-Za-z0-9_-]{10,}`, String.raw`fc-[A-Za-z0-9]{16,}`, // Perplexity, fal, Firecrawl
  String.raw`(?:AKIA|ASIA)[A-Z0-9]{16}`, // AWS
  String.raw`[sr]k_(?:live|test)_[A-Za-z0-9]{10,}`, String.raw`whsec_[A-Za-z0-9]{10,}`, // Stripe
  String.raw`SG\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]{10,})?`, // SendGrid
  String.raw`hf_[A-Za-z0-9]{10,}`, String.raw`r8_[A-Za-z0-9]{10,}`, // Hugging Face, Replicate
  String.raw`npm_[A-Za-z0-9]{10,}`, String.raw`pypi-[A-Za-z0-9_-]{16,}`, // registries
  String.raw`do[opr]_v1_[A-Za-z0-9]{10,}`, String.raw`am_[A-Za-z0-9]{20,}`, String.raw`tvly-[A-Za-z0-9_-]{10,}`, String.raw`exa_[A-Za-z0-9]{10,}`,
  String.raw`gsk_[A-Za-z0-9]{10,}`, String.raw`xai-[A-Za-z0-9]{10,}`, String.raw`dtn_[A-Za-z0-9]{10,}`, String.raw`a[ks]-[A-Za-z0-9]{22}`, // Groq, xAI, Daytona, Modal
  String.raw`dckr_pat_[A-Za-z0-9_-]{10,}`, String.raw`lin_api_[A-Za-z0-9]{10,}`, String.raw`shp(?:at|ca|pa|ss)_[a-fA-F0-9]{16,}`,
  String.raw`sntry[su]_[A-Za-z0-9_=-]{10,}`, String.raw`nvapi-[A-Za-z0-9_-]{10,}`, String.raw`syt_[A-Za-z0-9_]{10,}`, String.raw`hvs\.[A-Za-z0-9_-]{10,}`,
];
const PREFIXED = new RegExp(String.raw`(?<![A-Za-z0-9_-])(?:${PREFIXES.join('|')})`, 'g');

const TELEGRAM = /(?<!\d)(\d{8,10}):([A-Za-z0-9_-]{35})(?![A-Za-z0-9_-])/g;
const JWT = /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{4,8192}(?:\.[A-Za-z0-9_-]{0,8192})?/g;
const KEY_BEGIN = /-----BEGIN ((?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?)-----/g;
const HEADER = /\b((?:proxy-)?authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:(?:bearer|basic|token|digest|apikey|negotiate)[ \t]{1,4})?|(?:x-[a-z0-9-]{0,30})?(?:api-?key|auth-?token|access-?token|goog-api-key)["']?[ \t]{0,4}:[ \t]{0,4}["']?|(?:set-)?cookie:[ \t]{0,4})([^\s"'\\;,]{6,4096})/gi;
const BEARER = /\b(bearer[ \t]{1,4})([A-Za-z0-9._~+/=-]{16,4096})/gi;
/** `scheme://user:password@host`. */
const URL_PASSWORD = /\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/?#@"'<>]{0,200}:)([^\s/?#@"'<>]{1,512})(@)/gi;
const QUERY = /([?&;](?:[a-z0-9_.-]{0,40}[_.-])?(?:api_?key|apikey|key|token|secret|password|passwd|pwd|sig|signature|auth|credential|access_token|refresh_token|id_token|client_secret|code_verifier|x-amz-(?:signature|credential|security-token))=)([^\s&#"'<>;]{4,4096})/gi;

const SECRET_NAME = String.raw`(?:[A-Za-z0-9_.-]{0,60}?(?:api[_-]?key|secret[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret|secret|password|passwd|passphrase|credentials?|auth[_-]?token|access[_-]?token|refresh[_-]?token|id[_-]?token|bot[_-]?token|bearer[_-]?token)|token|pwd)`;
/** `"apiKey": "…"` of JSON, and `api_key: …` of YAML at the start of a line. */
const JSON_FIELD = new RegExp(String.raw`(["']${SECRET_NAME}["']\s{0,4}:\s{0,4}")((?:[^"\\\n]|\\.){1,4096})(")`, 'gi');
const YAML_FIELD = new RegExp(String.raw`(^[ \t]{0,40}(?:-[ \t]{1,4})?${SECRET_NAME}[ \t]{0,4}:[ \t]{1,8}["']?)([^\s"'{}\[\]|>&*#][^\s"'#]{5,4096})`, 'gim');
/** Names of hermes-runtime 5.4: API_KEY, KEY, TOKEN, SECRET, PASSWORD, PASS, PW, CREDENTIAL, AUTH as a word of the name. */
const ASSIGNMENT = /^([ \t]{0,20}(?:(?:export|declare|set|local|readonly|typeset)[ \t]{1,4}(?:-[a-zA-Z]{1,8}[ \t]{1,4})?)?([A-Za-z_][A-Za-z0-9_]{0,100})=)("(?:[^"\\\n]|\\.){1,8192}"|'[^'\n]{1,8192}'|\$'(?:[^'\\\n]|\\.){1,8192}'|[^\s"'][^\n]{0,8191})/gm;
const SECRET_VARIABLE = /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PW|PWD|CREDENTIALS?|AUTH)(?:$|_|\d)/i;
/** Variables that have such a word in their names and hold no secret. */
const HARMLESS_VARIABLE = /^(?:PWD|OLDPWD|SSH_AUTH_SOCK|GPG_TTY|XAUTHORITY|.*_KEY_(?:FILE|PATH|ID)|.*_(?:FILE|PATH))$/i;

/** Values that stand where a secret would and are none: references, placeholders, truth values, types, calls, what is hidden already. */
const NO_SECRET = /^(?:\$\{?\w|<|\*{3}|null$|none$|true$|false$|undefined$|process\.env|os\.environ|\[?REDACTED|«redacted:|.{6}\.\.\..{4}$|(?:string|str|bytes|number|boolean|bool|any|unknown|required|optional|[a-z_.]{1,60}\([^)]{0,200}\))[;,)|\]?]{0,3}$)/i;
/** Lower-case words behind `sk-` are a class name of some page, not a key. */
const WORDS_ONLY = /^sk(?:-[a-z]{1,20}){2,10}$/;

function maskFor(mode: RedactMode): (secret: string) => string {
  if (mode === 'file') return () => `«redacted:${randomBytes(4).toString('hex')}»`;
  return (secret) => (secret.length < WHOLE_BELOW ? '***' : `${secret.slice(0, HEAD)}...${secret.slice(-TAIL)}`);
}

/** Each key block from its begin to its end line, or to the end of the text where that is missing. One pass over the text. */
function withoutPrivateKeys(text: string, mode: RedactMode): string {
  let out = '';
  let at = 0;
  KEY_BEGIN.lastIndex = 0;
  for (let match = KEY_BEGIN.exec(text); match !== null; match = KEY_BEGIN.exec(text)) {
    const end = `-----END ${match[1] ?? ''}-----`;
    const found = text.indexOf(end, KEY_BEGIN.lastIndex);
    const stop = found < 0 ? text.length : found + end.length;
    out += `${text.slice(at, match.index)}[REDACTED PRIVATE KEY${mode === 'file' ? ` ${randomBytes(4).toString('hex')}` : ''}]`;
    at = stop;
    KEY_BEGIN.lastIndex = stop;
  }
  return out + text.slice(at);
}

function redact(text: string, mode: RedactMode): string {
  const mask = maskFor(mode);
  const second = (_all: string, before: string, secret: string, after: unknown): string =>
    `${before}${NO_SECRET.test(secret) ? secret : mask(secret)}${typeof after === 'string' && after.length === 1 ? after : ''}`;
  let out = text.includes('-----BEGIN ') ? withoutPrivateKeys(text, mode) : text;
  if (out.includes('eyJ')) out = out.replace(JWT, mask);
  out = out.replace(PREFIXED, (token) => (WORDS_ONLY.test(token) ? token : mask(token)));
  out = out.replace(TELEGRAM, (_all, bot: string, secret: string) => `${bot}:${mask(secret)}`);
  if (out.includes('://')) out = out.replace(URL_PASSWORD, (_all, before: string, secret: string, at: string) => `${before}${NO_SECRET.test(secret) ? secret : '***'}${at}`);
  if (out.includes('=')) out = out.replace(QUERY, second);
  if (out.includes(':')) out = out.replace(JSON_FIELD, second).replace(YAML_FIELD, second);
  out = out.replace(HEADER, second).replace(BEARER, second);
  if (mode === 'environment') {
    out = out.replace(ASSIGNMENT, (all, before: string, name: string, value: string) => {
      const bare = value.replace(/^\$?["']|["']$/g, '');
      return !SECRET_VARIABLE.test(name) || HARMLESS_VARIABLE.test(name) || NO_SECRET.test(bare) || bare === '' ? all : `${before}${mask(bare)}`;
    });
  }
  return out;
}

/** The switch is read here once and for all: nothing that runs later, the agent's commands included, can turn redaction off. */
export function createRedact(options: { readonly enabled: boolean }): Redact {
  const { enabled } = options;
  return (text, mode = 'output') => (enabled && text !== '' ? redact(text, mode) : text);
}

/** True when the text holds something that would be hidden: such text is never made a stored rule. */
export function holdsSecret(text: string): boolean {
  const assignments = text.replaceAll(/\s(?=[A-Za-z_]\w{0,100}=)/g, '\n');
  return redact(text, 'output') !== text || redact(assignments, 'environment') !== assignments;
}
