/** tmux, screen and zellij: programs that run in another terminal. */
import type { Inner, Invocation, ProgramReader } from './model.ts';
import { readOptions } from './options.ts';
import { blockText, type Field, joinTexts } from './text.ts';

/** tmux and screen: text typed into, or started in, another terminal. */
const VERBS = /^(?:send-keys|send|new-session|new|new-window|neww|split-window|splitw|respawn-pane|respawn-window|run-shell|run|pipe-pane|if-shell|display-popup|popup|set-hook|bind-key|stuff|exec|source-file|write-chars)$/;
/** Keys that tmux knows by name; typed letters are themselves. */
const KEYS = /^(?:Enter|C-m|Space|Escape|C-\w|KPEnter)$/;

function terminalMultiplexer(command: Invocation): Inner[] {
  // Without `-X` the words of screen are a program of their own, whatever verbs stand among them.
  const steers = command.name !== 'screen' || command.argv.some((field) => /^-\w*X$/.test(field.text));
  const at = steers ? command.argv.findIndex((field) => VERBS.test(field.text)) : -1;
  if (at === -1) {
    if (command.name !== 'screen') return [];
    const { operands } = readOptions(command.argv, { short: 'cehLpsStTXD', attached: 'rRx', flags: 'aAdmiloOqUvw' });
    return operands.length > 0 ? [{ kind: 'argv', fields: operands, background: true }] : [];
  }
  // `-h` and the like take a value behind some of the verbs only, so the words are read both ways.
  return ['tcenNxysFTIhwXSb', 'tcenNxysFTIX'].flatMap((short) => {
    const { operands } = readOptions(command.argv, { short, flags: 'dPAEDlHRMKZkvfpaBChwSb' }, at + 1);
    return typedText(operands.filter((field) => !KEYS.test(field.text)), command);
  });
}

/** What ends up on the other terminal's line: words, single keys typed after each other, and commands of tmux's own. */
function typedText(typed: readonly Field[], command: Invocation): Inner[] {
  if (typed.length === 0) return [];
  const own = typed.filter((field) => VERBS.test(field.text.split(/\s/)[0] ?? '') && /\s/.test(field.text)).map((field): Inner => ({ kind: 'script', text: joinTexts([blockText(command.name, field.start, field.start), field], ' ') }));
  const keys: Inner[] = typed.length > 1 && typed.some((field) => field.text.length === 1) ? [{ kind: 'script', text: joinTexts(typed, '') }] : [];
  return [...own, ...keys, { kind: 'script', text: joinTexts(typed.map((field) => ({ ...field, text: command.name === 'screen' ? field.text.replace(/\\n|\\r|\^M$/g, '\n') : field.text })), ' ') }];
}

export const terminalPrograms: readonly [string, ProgramReader][] = ['tmux', 'screen', 'zellij', 'byobu'].map((name) => [name, terminalMultiplexer]);
