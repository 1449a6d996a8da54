/** How far an answer may reach: this time, this chat, or for good. */
import type { Finding } from '../../preload/contract/approvals.ts';
import { holdsSecret } from '../redact.ts';

/** A longer command cannot be taken in at a glance: nothing standing is made of it (anchors B1). */
const LONGEST_FOR_ALWAYS = 10_000;
const HEREDOC = /(?<!<)<<(?!<)/;

export interface Scope { readonly allowSession: boolean; readonly allowAlways: boolean; readonly alwaysEntries: string[] }

export const ONLY_ONCE: Scope = { allowSession: false, allowAlways: false, alwaysEntries: [] };

/** Keys of the findings, each once, in their order; the first one is the request's `pattern_key`. */
export const keysOf = (findings: readonly Finding[]): string[] => [...new Set(findings.map((finding) => finding.key))];

/** Text that cannot be judged is asked about each time; a standing rule is offered only for short, plain commands without secrets. */
export function scopeFor(command: string, findings: readonly Finding[]): Scope {
  if (findings.some((finding) => finding.tier !== 'danger')) return ONLY_ONCE;
  const entries = keysOf(findings).filter((key) => !key.startsWith('tirith:'));
  // A person's own ask rule would go on asking, whatever is saved.
  const asksAlways = entries.some((key) => key.startsWith('rule:'));
  const allowAlways = !asksAlways && entries.length > 0 && command.length <= LONGEST_FOR_ALWAYS && !HEREDOC.test(command) && !holdsSecret(command);
  return { allowSession: true, allowAlways, alwaysEntries: allowAlways ? entries : [] };
}
