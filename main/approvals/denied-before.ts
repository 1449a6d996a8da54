/** Remembers, through the history, what the person refused in a chat, so that the same effect behind another wrapper is told as such. */
import type { ApprovalRequest, Finding } from '../../preload/contract/approvals.ts';
import { agoText, shortened } from './wording.ts';

/** Shorter words (`-r`, `x`, `a.c`) say nothing about what a command is about. */
const SHORTEST_OPERAND = 4;
const SEPARATORS = /[\s'"`()[\]{}<>|;&,=$]+/;
/** Names of programs and common words that many harmless commands share. */
const COMMON = new Set(['sudo', 'bash', 'python', 'python3', 'node', 'perl', 'ruby', 'import', 'echo', 'true', 'false', 'exec', 'eval', 'find', 'xargs', 'origin', 'main', 'master',
  'from', 'print', 'shutil', 'rmtree', 'shell', 'docker', 'http', 'https', 'null', 'file', 'path', 'push', 'reset', 'hard', 'force', '/dev/null']);

/** The things a command is about: its words that are neither options nor common names. */
function operandsOf(text: string): Set<string> {
  const words = text.slice(0, 20_000).split(SEPARATORS).map((word) => word.replace(/^\.\//, '').replace(/[/.:]+$/, ''));
  return new Set(words.filter((word) => word.length >= SHORTEST_OPERAND && !word.startsWith('-') && !COMMON.has(word.toLowerCase())));
}

/** Text of the command that its dangerous findings lie on. */
const flaggedText = (request: ApprovalRequest): string =>
  request.review.findings.map((finding) => request.command.slice(finding.start, finding.end)).join(' ') || request.command;

const isSame = (findings: readonly Finding[], command: string, denied: ApprovalRequest): boolean => {
  if (command.trim() === denied.command.trim()) return true;
  if (findings.some(({ key, effect }) => denied.review.findings.some((other) => other.key === key && other.effect === effect))) return true;
  const operands = operandsOf(command);
  return [...operandsOf(flaggedText(denied))].some((operand) => operands.has(operand));
};

/** A sentence for the card, or undefined. `history` is newest first and of this chat. */
export function deniedBefore(command: string, findings: readonly Finding[], history: readonly ApprovalRequest[], now: number): string | undefined {
  const denied = history.find((request) => request.state === 'denied' && request.automatic === undefined && isSame(findings, command, request));
  if (denied === undefined) return undefined;
  return `You denied the same effect in this chat ${agoText(now - (denied.decidedAt ?? denied.createdAt))}: “${shortened(denied.command)}”.`;
}
