/** Cloud metadata addresses, and secrets on their way out. */
import type { Invocation } from '../parse/model.ts';
import { readOptions } from '../parse/options.ts';
import type { Field } from '../parse/text.ts';
import { isSecretFile } from './paths.ts';
import { type Facts, type Hit, hitCommand, hitField, producers, type Rule, shown, substituted, words } from './rule.ts';

const METADATA_HOSTS = new Set(['169.254.169.254', '169.254.170.2', '100.100.100.200', 'metadata.google.internal', 'metadata.goog', 'fd00:ec2::254', '169.254.169.253', '192.0.0.192']);
/** Programs whose arguments are text to print or to look for, not addresses to visit. */
const TEXT_PROGRAMS = new Set(words('echo printf grep egrep fgrep rg ag ack sed awk git gh test [ cat less head tail man apropos expr say logger notify-send'));

/** The host of a URL or of a bare address, in its usual spelling: decimal, hex and octal forms of IPv4 are worked out. */
function hostOf(text: string): string | undefined {
  const match = /^(?:--?[\w-]+=)?(?:[a-z][\w+.-]*:\/\/)?(?:[^/@\s]*@)?(\[[0-9a-f:.%]+\]|[\w.-]+|[0-9a-f:]+)(?::\d+)?(?:[/?#]|$)/i.exec(text.trim());
  const host = match?.[1]?.toLowerCase().replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (host === undefined) return undefined;
  const mapped = /^::ffff:(.+)$/.exec(host)?.[1];
  if (mapped !== undefined) return hexPairs(mapped) ?? mapped;
  return numeric(host) ?? host;
}

const number = (text: string): number => (/^0x[0-9a-f]+$/.test(text) ? Number.parseInt(text.slice(2), 16) : /^0[0-7]+$/.test(text) ? Number.parseInt(text, 8) : /^\d+$/.test(text) ? Number(text) : Number.NaN);

function numeric(host: string): string | undefined {
  const parts = host.split('.').map(number);
  if (parts.length > 4 || parts.some(Number.isNaN)) return undefined;
  const last = parts.pop() ?? 0;
  let value = last;
  for (const [index, part] of parts.entries()) value += part * 256 ** (3 - index);
  return value > 0xffffffff ? undefined : [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}

function hexPairs(text: string): string | undefined {
  const match = /^([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(text);
  if (match === null) return undefined;
  const [high, low] = [Number.parseInt(match[1] ?? '', 16), Number.parseInt(match[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function metadata(command: Invocation): Hit | undefined {
  if (TEXT_PROGRAMS.has(command.name)) return undefined;
  for (const field of command.argv.slice(1)) {
    if (field.text.length > 4096 || !/[.:]|\d{8}|0x/.test(field.text)) continue;
    const host = hostOf(field.text);
    const inside = /https?:\/\/(?:169\.254\.169\.254|100\.100\.100\.200|metadata\.google\.internal|\[fd00:ec2::254\])/i.test(field.text);
    if (inside || (host !== undefined && METADATA_HOSTS.has(host))) return hitField('reads the keys of the cloud machine', field);
  }
  return undefined;
}

const SENDERS = new Set(words('curl wget wget2 http https xh nc ncat netcat socat scp sftp rsync ftp tftp telnet lftp aws gsutil rclone openssl ssh mail mutt sendmail mailx croc magic-wormhole wormhole transfer gh glab dig nslookup host drill iwr irm invoke-webrequest invoke-restmethod'));
const UPLOADS = /^(?:-d|-F|-T|--data(?:-\w+)?|--form(?:-string)?|--upload-file|--post-file|--body-file|--json)$/;

/** The words of a sending command that name a local file to send. */
function sentFiles(command: Invocation): Field[] {
  const { argv, name } = command;
  if (name === 'curl' || name === 'wget') {
    return argv.flatMap((field, index) => {
      const value = UPLOADS.test(argv[index - 1]?.text ?? '') ? field.text : /^(?:-[dFT]|--(?:data(?:-\w+)?|form|upload-file|post-file|body-file)=)(.+)$/.exec(field.text)?.[1];
      const file = value === undefined ? undefined : (/@([^;]+)/.exec(value)?.[1] ?? (/^(?:-T|--upload-file|--post-file|--body-file)/.test(`${argv[index - 1]?.text ?? ''} ${field.text}`) || /^(?:-T|--upload-file|--post-file)/.test(argv[index - 1]?.text ?? '') || /^(?:-T|--(?:upload|post|body)-file)/.test(field.text) ? value : undefined));
      return file === undefined ? [] : [{ ...field, text: file }];
    });
  }
  if (name === 'scp' || name === 'rsync' || name === 'sftp') {
    // The key and the settings that a transfer uses are read, not sent.
    const takesValue = name === 'rsync' ? /^(?:-\w*e|--rsh)$/ : /^-[a-zA-Z]*[cDFiJloPSX]$/;
    const operands = argv.slice(1).filter((field, index) => !field.text.startsWith('-') && !takesValue.test(argv[index]?.text ?? ''));
    const remote = operands.at(-1);
    return remote !== undefined && /^[^/]+:/.test(remote.text) ? operands.slice(0, -1) : [];
  }
  if (name === 'gh' || name === 'glab') return argv.some((field) => /^(?:gist|snippet|release|upload)$/.test(field.text)) ? argv.slice(2) : [];
  if (name === 'aws' || name === 'gsutil' || name === 'rclone') return argv.some((field) => /^(?:cp|sync|mv|copy|put-object)$/.test(field.text)) ? argv.slice(2) : [];
  return [];
}

function leaks(command: Invocation, facts: Facts): Hit | undefined {
  if (!SENDERS.has(command.name)) return undefined;
  const { place } = facts;
  const secret = sentFiles(command).find((field) => isSecretFile(field.text, command, place));
  if (secret !== undefined) return hitField('sends a secret file to another machine', secret);
  if (command.input?.kind === 'file' && isSecretFile(command.input.target.text, command, place)) return hitField('sends a secret file to another machine', command.input.target);
  const sources = [...producers(command, facts), ...substituted(command.argv, facts)];
  const reader = sources.find((each) => each.argv.slice(1).some((field) => isSecretFile(field.text, each, place)) || (each.input?.kind === 'file' && isSecretFile(each.input.target.text, each, place)));
  if (reader !== undefined) return hitCommand('sends the contents of a secret file to another machine', command);
  const wholeEnvironment = sources.some((each) => /^(?:env|printenv)$/.test(each.name) && each.argv.length === 1) && command.name !== 'ssh';
  return wholeEnvironment ? hitCommand('sends every environment variable to another machine', command) : undefined;
}

const CURL_VALUES = { short: 'AbcCdDeEFhHKmoPQrTtuUwxXyYz', flags: '0123456:#aBfgGiIjJklLMnNOpqRsSvVZ', long: ['config'], permute: true };

/** `curl -K FILE`: the file may name any address, any file to send and any file to write. */
function readsOptions(command: Invocation): Hit | undefined {
  const option = readOptions(command.argv, CURL_VALUES).options.find((each) => (each.long ? each.name === 'config' : each.name === 'K') && each.value?.text !== '/dev/null');
  return option === undefined ? undefined : hitField(`takes what to fetch, send and write from ${shown(option.value?.text ?? 'a file')}`, option.field);
}

export const networkRules: readonly Rule[] = [
  { key: 'curl options from a file', class: 'remote-code', tier: 'danger', programs: ['curl'], pattern: 'curl -K FILE, curl --config FILE', test: readsOptions },
  { key: 'cloud metadata endpoint', class: 'metadata', tier: 'danger', programs: 'any', pattern: '169.254.169.254, 100.100.100.200, metadata.google.internal, fd00:ec2::254', test: metadata },
  { key: 'secret sent over the network', class: 'exfiltration', tier: 'danger', programs: [...SENDERS], pattern: 'cat ~/.ssh/id_rsa | curl -d @-, scp .env host:', test: leaks },
];
