/** The person's own deny rules, `approvals.deny`: globs over every form in which the detector sees a command (hermes-runtime 4.13). */
import type { CommandReview } from '../../preload/contract/approvals.ts';
import { normalise } from './normalise.ts';
import { globMatches } from './parse/glob.ts';

/** A longer rule is not a rule but an accident; it is matched by its beginning, which forbids more, not less. */
const RULE_CHARS = 1_000;

const baseName = (program: string): string => program.split(/[/\\]/).at(-1) ?? program;

/**
 * Texts that a rule is held against: the command as written and normalised, and for each simple command in it, nested ones included,
 * its text, its words joined by one blank, and the same with the program's bare name. Of a script each line as well.
 */
export function denyForms(command: string, parts: CommandReview['parts'], options: { readonly lines: boolean }): string[] {
  const forms = new Set([command.trim(), normalise(command).source.text.trim()]);
  for (const { text, argv } of parts) {
    const [program = '', ...rest] = argv;
    forms.add(text.trim());
    forms.add(argv.join(' '));
    forms.add([baseName(program), ...rest].join(' '));
  }
  if (options.lines) for (const line of command.split('\n')) forms.add(line.trim());
  forms.delete('');
  return [...forms];
}

/** The first rule that matches a whole form, as it is written; case does not count. */
export function deniedBy(forms: readonly string[], rules: readonly string[]): string | undefined {
  const lower = forms.map((form) => form.toLowerCase());
  return rules.find((rule) => {
    const glob = rule.trim().toLowerCase();
    const bounded = glob.length > RULE_CHARS ? `${glob.slice(0, RULE_CHARS)}*` : glob;
    return bounded !== '' && lower.some((form) => globMatches(bounded, form));
  });
}
