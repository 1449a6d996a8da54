/** What a command reaches, in words. Pure. */
import type { BlastRadius } from '../../../preload/contract/approvals.ts';
import { formatBytes, plural } from '../../ui/format.ts';

/** One sentence piece of the summary; `warns` marks what is worth a second look. */
export interface BlastFact { readonly words: string; readonly warns: boolean }

const fact = (words: string, warns = false): BlastFact => ({ words, warns });

/** In the order of their weight. Never empty; what could not be found out is said to be unknown. */
export function blastFacts(blast: BlastRadius): BlastFact[] {
  const unknown = blast.state === 'unknown';
  const facts: BlastFact[] = [];
  if (blast.privilege !== null) facts.push(fact(`with the rights of ${blast.privilege}`, true));
  if (blast.hosts.length > 0) facts.push(fact(`${blast.hosts.length === 1 ? 'host' : 'hosts'} ${listed(blast.hosts)}`, true));
  if (blast.mounts.length > 0) facts.push(fact(`${blast.mounts.length === 1 ? 'mount point' : 'mount points'} ${listed(blast.mounts)}`, true));
  if (unknown) return [...facts, fact(`which files: unknown${blast.why === undefined ? '' : ` (${blast.why})`}`, true)];
  if (blast.paths.length === 0) return [...facts, fact(blast.count === null ? 'how many files: unknown' : 'no file that is there')];
  facts.push(...fileFacts(blast));
  return facts;
}

function fileFacts(blast: BlastRadius): BlastFact[] {
  const { count, bytes, outside, untracked, dirty } = blast;
  const size = bytes === null ? '' : `, ${formatBytes(bytes)}`;
  const facts = [count === null ? fact(`how many files: unknown${blast.why === undefined ? '' : ` (${blast.why})`}`, true) : fact(`${plural(count, 'file or directory', 'files and directories')}${size}`)];
  if (outside === null) facts.push(fact('inside or outside the workspace: unknown', true));
  else facts.push(outside === 0 ? fact('inside the workspace') : fact(`${outside} outside the workspace`, true));
  if (untracked === null && dirty === null) facts.push(fact('git state unknown'));
  else if ((untracked ?? 0) + (dirty ?? 0) === 0) facts.push(fact('all in git, nothing uncommitted'));
  else {
    if (dirty !== null && dirty > 0) facts.push(fact(`${dirty} with uncommitted changes`, true));
    if (untracked !== null && untracked > 0) facts.push(fact(`${untracked} not in git`, true));
  }
  return facts;
}

const SHOWN = 3;

function listed(words: readonly string[]): string {
  return words.length > SHOWN ? `${words.slice(0, SHOWN).join(', ')} and ${words.length - SHOWN} more` : words.join(', ');
}
