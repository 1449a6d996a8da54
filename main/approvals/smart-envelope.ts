/** The fixed envelope of smart mode: what its reviewing model may let pass at all. Everything else goes to the person without asking that model. Pure. */
import { posix } from 'node:path';
import type { CommandPart, Finding } from '../../preload/contract/approvals.ts';
import { SMART_CLASSES } from '../../preload/contract/smart-classes.ts';
import type { Inspection, ReviewPlace } from './detect.ts';
import { HOME, UNKNOWN } from './parse/text.ts';
import { plainOperands } from './rules/rule.ts';
import { directoryOf, isInside } from './standing/coverage.ts';

const PASSES = new Set(SMART_CLASSES);
const RAISES = new Set(['sudo', 'doas', 'su', 'pkexec', 'run0', 'runas', 'gsudo']);

/** Whether the findings are all of a kind that the model may let pass. `inspect` is asked only where paths matter. */
export function insideEnvelope(findings: readonly Finding[], parts: readonly CommandPart[], place: ReviewPlace, inspect: () => Inspection): boolean {
  if (findings.length === 0 || findings.some((finding) => finding.tier !== 'danger' || !PASSES.has(finding.class))) return false;
  if (parts.some(({ argv: [program = ''] }) => RAISES.has(posix.basename(program).replace(/\.exe$/i, '').toLowerCase()))) return false;
  return !findings.some((finding) => finding.class === 'delete') || deletesBelow(inspect(), place);
}

/** Every path that a deleting command names is known, and lies below the directory that the line starts in; never that directory itself. */
function deletesBelow({ units, plain }: Inspection, place: ReviewPlace): boolean {
  const { cwd } = place;
  if (!plain || cwd === undefined || cwd === '/' || cwd === place.home) return false;
  return units.filter(({ findings }) => findings.some((finding) => finding.class === 'delete')).every(({ invocation }) => {
    const directory = directoryOf(invocation, place) ?? (invocation.directory === undefined ? cwd : undefined);
    const operands = plainOperands(invocation);
    // What comes over a pipe or out of a search is named nowhere.
    if (directory === undefined || operands.length === 0 || invocation.input !== undefined || invocation.parent !== undefined) return false;
    return operands.every(({ text }) => {
      if (text.includes(UNKNOWN) || text.includes(HOME) || text.startsWith('~') || text.includes('..')) return false;
      const path = posix.normalize(posix.isAbsolute(text) ? text : posix.join(directory, text)).replace(/(?<=.)\/$/, '');
      return path !== cwd && isInside(path, cwd);
    });
  });
}
