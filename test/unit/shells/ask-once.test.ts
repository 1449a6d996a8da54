import { expect, test } from 'vitest';
import { askOnce } from '../../../main/shells/browser/ask-once.ts';
import type { Terminal } from '../../../preload/contract/terminal.ts';
import { handClock } from '../../support/hand-clock.ts';

function asked(running: readonly Partial<Terminal>[]) {
  const clock = handClock();
  let said = '';
  const interrupt = askOnce(() => running as Terminal[], { write: (text: string) => { said += text; return true; } }, clock); // state, kind and title are all that is read
  return { clock, interrupt, said: () => said };
}

test('Ctrl-C ends at once when nothing runs but a shell of the person\'s own', () => {
  const { interrupt, said } = asked([{ state: 'running', kind: 'user', title: 'Shell 1' }, { state: 'exited', kind: 'foreground', title: 'ls' }]);
  expect(interrupt()).toBe(false);
  expect(said()).toBe('');
});

test('Ctrl-C names what runs and waits for a second one, which counts for five seconds', () => {
  const { clock, interrupt, said } = asked([{ state: 'running', kind: 'background', title: 'npm run dev' }]);
  expect(interrupt()).toBe(true);
  expect(said()).toContain('Still running: npm run dev.');
  clock.advance(6_000);
  expect(interrupt()).toBe(true);
  clock.advance(1_000);
  expect(interrupt()).toBe(false);
});
