/** What the model and the person read about a decision. */
import type { ApprovalRequest, Finding } from '../../preload/contract/approvals.ts';

const NO_WAY_ROUND = 'Do not retry it, do not rephrase it, and do not reach the same outcome with a different command.';

/** Descriptions joined the way Hermes joins them: `description` of the answer. */
export const describe = (findings: readonly Finding[]): string => [...new Set(findings.map((finding) => finding.description))].join('; ');

/** One sentence per finding, for the card. */
export function reasonFor(findings: readonly Finding[]): string {
  const sentences = new Set(findings.map(({ description, effect }) => {
    const text = effect === '' || effect === description ? description : `${description}: ${effect}`;
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
  }));
  return [...sentences].join(' ');
}

/** `savedTo`: the script file that a text was put into which is only too long or too tangled to be judged. */
export const floorMessage = (findings: readonly Finding[], savedTo?: string): string => {
  const blocked = `BLOCKED (hardline): ${describe(findings) || 'this command cannot be judged'}.`;
  return savedTo === undefined
    ? `${blocked} The agent never runs this, whatever the mode or the rules. ${NO_WAY_ROUND} If the user wants it, they run it themselves.`
    : `${blocked} It is too long or too tangled to be judged as one command line. It was saved to ${savedTo}: check that file and run it with bash, or do the work in smaller steps.`;
};

/** `where`: the list that the rule stands in. */
export const denyRuleMessage = (rule: string, where: string): string =>
  `BLOCKED: this command matches the user-defined deny rule '${rule}' (${where === 'approvals.deny' ? `${where} in config.yaml` : where}). ${NO_WAY_ROUND}`;

/** What a person wrote, ended so that the next sentence does not run into it. */
const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

export function deniedMessage(findings: readonly Finding[], reason: string | undefined): string {
  const why = reason === undefined || reason.trim() === '' ? '' : ` The user's reason: ${sentence(reason.trim())}`;
  return `BLOCKED: the user refused this command (${describe(findings)}).${why} ${NO_WAY_ROUND}${why === '' ? ' Ask the user how to go on.' : ''}`;
}

export const timeoutMessage = (findings: readonly Finding[], seconds: number): string =>
  `BLOCKED: nobody answered the approval request (${describe(findings)}) within ${seconds} seconds, so the command did not run. Silence is not consent. `
  + `${NO_WAY_ROUND} Stop and wait until the user is back.`;

export const interruptedMessage = (): string =>
  'Not run: the work was interrupted before anybody answered the approval request. This is no refusal by the user.';

export const unattendedMessage = (findings: readonly Finding[], setting: string): string =>
  `BLOCKED: this command needs approval (${describe(findings)}), and nobody can be asked here. Silence is not consent. ${NO_WAY_ROUND} `
  + `Work that runs unattended may do this only when the user sets ${setting}: approve in config.yaml.`;

export const pendingMessage = (findings: readonly Finding[]): string =>
  `PENDING: this command needs approval (${describe(findings)}), and nobody can be asked right now. It did not run. STOP here: tell the user that it waits for /approve or for the app, `
  + `and do nothing towards the same outcome meanwhile. Once it is approved, run exactly the same command again.`;

export const failedMessage = (): string =>
  'BLOCKED: the approval could not be asked for because of a fault, so the command did not run. Tell the user; the log has the details.';

export const smartDeniedMessage = (findings: readonly Finding[]): string =>
  `BLOCKED by smart approval: the reviewing model judged this command harmful (${describe(findings)}). ${NO_WAY_ROUND}`;

export const breakerMessage = (count: number): string =>
  ` STOP: ${count} commands in a row were refused by the reviewer. Do not try further variants; tell the user what was blocked and let them decide.`;

export function approvedNote(findings: readonly Finding[], how: { readonly by: 'user' | 'reviewer'; readonly original?: string; readonly command: string }): string {
  const flagged = `This command was flagged (${describe(findings)}) and ${how.by === 'user' ? 'approved by the user' : 'approved by the reviewing model'}.`;
  return how.original === undefined ? flagged : `The user changed the command before it ran: ${how.command} was run instead of ${how.original}. ${flagged}`;
}

export function agoText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return 'less than a minute ago';
  if (minutes < 60) return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'} ago`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} ${hours === 1 ? 'hour' : 'hours'} ago` : `${Math.round(hours / 24)} days ago`;
}

const SHOWN_CHARS = 120;

/** A request that was settled, in the words of a late answer's error. */
export function settledText(request: ApprovalRequest): string {
  const by = request.decidedBy === undefined ? '' : ` (${request.decidedBy})`;
  switch (request.state) {
    case 'approved': return `it was approved before${by}`;
    case 'denied': return `it was denied before${by}`;
    case 'expired': return 'its time had run out';
    case 'cancelled': return 'it was cancelled';
    case 'created': case 'delivered': case 'seen': case 'held': return 'it is being answered right now';
  }
}

export const shortened = (command: string): string => {
  const line = command.replaceAll(/\s+/g, ' ').trim();
  return line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)}…` : line;
};
