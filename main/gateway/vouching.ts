/** Whether the own mail server vouches for the sender of a letter: `Authentication-Results` (RFC 8601), which a sender can write into a letter as well. */

export interface VouchingParts {
  /** Values of all `Authentication-Results` headers, topmost first. */
  readonly reports: readonly string[];
  /** Address in `From`, in small letters. */
  readonly from: string;
  /** How the own server names itself in its reports; undefined = it is told by `hosts`. */
  readonly serverId: string | undefined;
  /** Hosts of the mailbox, and the domain of its address. */
  readonly hosts: readonly string[];
}

/** Names in the reports of services whose mailboxes have another domain. */
const KNOWN_SERVERS: readonly { readonly mailbox: RegExp; readonly server: RegExp }[] = [
  { mailbox: /\.(?:gmail|googlemail|google)\.com$/, server: /(?:^|\.)google\.com$/ },
  { mailbox: /\.fastmail\.com$/, server: /(?:^|\.)messagingengine\.com$/ },
  { mailbox: /\.(?:mail\.me|icloud)\.com$/, server: /(?:^|\.)(?:icloud|apple)\.com$/ },
  { mailbox: /\.mail\.yahoo\.com$/, server: /(?:^|\.)(?:yahoo|yahoodns)\.(?:com|net)$/ },
];
/** Microsoft writes reports without a name; the topmost is its own. */
const NAMELESS = /(?:^|\.)(?:office365|outlook)\.com$/;

/** The last two labels, three where the second last is as short as in `co.uk`. */
function ownDomain(host: string): string {
  const labels = host.toLowerCase().split('.');
  return labels.slice((labels.at(-2)?.length ?? 0) <= 3 ? -3 : -2).join('.');
}

/** Quoted strings and comments hold what a sender likes: they are left out, one that is never closed with all behind it. */
function withoutForeignWords(report: string): string {
  let text = '';
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < report.length; at += 1) {
    const char = report.charAt(at);
    if (char === '\\') at += 1;
    else if (isQuoted) isQuoted = char !== '"';
    else if (char === '"') isQuoted = true;
    else if (char === '(') depth += 1;
    else if (char === ')') depth = Math.max(0, depth - 1);
    else if (depth === 0) text += char;
  }
  return text.toLowerCase();
}

function isOwnServer(id: string, { serverId, hosts }: VouchingParts): boolean {
  if (serverId !== undefined) return id === serverId.toLowerCase();
  return hosts.some((host) => id === host || (ownDomain(host).includes('.') && (id === ownDomain(host) || id.endsWith(`.${ownDomain(host)}`))) || KNOWN_SERVERS.some(({ mailbox, server }) => mailbox.test(host) && server.test(id)));
}

/** The domain itself, or a parent of it: `example.org` speaks for `anna@mail.example.org`. */
function speaksFor(domain: string, address: string): boolean {
  const own = address.split('@').at(-1) ?? '';
  return domain !== '' && (domain === own || own.endsWith(`.${domain}`));
}

export function isVouchedFor(parts: VouchingParts): boolean {
  for (const [at, report] of parts.reports.entries()) {
    const [first = '', ...rest] = withoutForeignWords(report).split(';').map((part) => part.trim());
    const id = first.split(/\s/)[0] ?? '';
    const isNameless = id.includes('=');
    const trusted = isNameless ? at === 0 && parts.serverId === undefined && parts.hosts.some((host) => NAMELESS.test(host)) : isOwnServer(id, parts);
    if (!trusted) continue;
    // Only the topmost report of the own server counts: those below came with the letter.
    return (isNameless ? [first, ...rest] : rest).some((result) => {
      if (/^dmarc\s*=\s*pass\b/.test(result)) return speaksFor(/\bheader\.from=([\w.-]+)/.exec(result)?.[1] ?? '', parts.from);
      return /^dkim\s*=\s*pass\b/.test(result) && speaksFor(/\bheader\.(?:d=|i=[^@\s]*@?)([\w.-]+)/.exec(result)?.[1] ?? '', parts.from);
    });
  }
  return false;
}
