/** What a person reads before deciding: the whole command with the culprits marked, and why it stopped. */
import type { ApprovalRequest, Finding } from '../../../preload/contract/index.ts';
import type { Paint } from './paint.ts';
import { visible, visibleLine } from './visible.ts';

/** Marks around a culprit, seen without colours as well. */
const OPEN = '⟦';
const CLOSE = '⟧';

/** Spans of the command, in order and without overlap, `culprit` where a finding points. Offsets are UTF-16 units. */
export function segments(command: string, findings: readonly Finding[]): { readonly text: string; readonly culprit: boolean }[] {
  const inside = new Uint8Array(command.length);
  for (const { start, end } of findings) inside.fill(1, Math.max(0, start), Math.min(command.length, end));
  const spans: { text: string; culprit: boolean }[] = [];
  let from = 0;
  for (let at = 1; at <= command.length; at += 1) {
    if (at < command.length && inside[at] === inside[at - 1]) continue;
    spans.push({ text: command.slice(from, at), culprit: inside[from] === 1 });
    from = at;
  }
  return spans;
}

export function markedCommand(command: string, findings: readonly Finding[], paint: Paint): string {
  return segments(command, findings).map(({ text, culprit }) => {
    const shown = visible(text);
    return culprit ? shown.split('\n').map((line) => paint('red', paint('bold', `${OPEN}${line}${CLOSE}`))).join('\n') : shown;
  }).join('');
}

/** The card as text, without the question. Every line of the command stands behind a bar, so that it cannot pass for the card's own words. */
export function approvalCard(request: ApprovalRequest, paint: Paint): string {
  const command = markedCommand(request.command, request.review.findings, paint).split('\n').map((line) => `  ${paint('dim', '│')} ${line}`);
  const effects = request.review.findings.map((finding) => `  • ${visibleLine(finding.description)}: ${visibleLine(finding.effect)}`);
  return [
    '',
    paint('yellow', paint('bold', `${request.agent === undefined ? 'The agent' : `Agent ${visibleLine(request.agent)}`} wants to run a command that needs your consent`)),
    '',
    ...command,
    '',
    ...(effects.length > 0 ? effects : [`  • ${visibleLine(request.reason)}`]),
    `  ${paint('dim', 'in')}  ${visibleLine(request.cwd)}  ${paint('dim', 'on')}  ${visibleLine(request.backend)} (${visibleLine(request.user)}@${visibleLine(request.host)})${request.sandbox === undefined ? '' : `, ${visibleLine(request.sandbox)}`}`,
    ...(request.deniedBefore === undefined ? [] : [`  ${paint('red', paint('bold', visibleLine(request.deniedBefore)))}`]),
    ...(request.smartDenied === undefined ? [] : [`  ${paint('red', 'The reviewing model advises against it.')}`]),
    ...(request.wants === undefined ? [] : [`  ${paint('dim', 'the model says:')} “${visibleLine(request.wants)}”`]),
    '',
  ].join('\n');
}
