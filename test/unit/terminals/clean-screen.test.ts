import { expect, test } from 'vitest';
import { createRedact } from '../../../main/redact.ts';
import { cleanScreen } from '../../../main/terminals/clean-screen.ts';

const redact = createRedact({ enabled: true });
const KEY = 'sk-canarycanarycanarycanary';
const clean = (drawn: string) => cleanScreen(drawn, redact);

test.each([
  ['right behind a colour', `\x1b[31mred\x1b[0m\r\n\x1b[32m${KEY}\x1b[0m\r\nlast`, '\x1b[31mred\x1b[0m\r\nsk-can...nary\x1b[32m\x1b[0m\r\nlast'],
  ['with a colour in it', `\x1b[1mbold\r\n${KEY.slice(0, 9)}\x1b[4m${KEY.slice(9)}\r\nlast`, '\x1b[1mbold\r\nsk-can...nary\x1b[4m\r\nlast'],
  ['behind blank cells', `a\x1b[5C${KEY}`, 'a     sk-can...nary'],
  ['of many lines', '\x1b[31mred\x1b[0m\r\n\x1b[2m-----BEGIN PRIVATE KEY-----\r\nMIIcanary\r\n-----END PRIVATE KEY-----\x1b[0m\r\nlast', 'red\r\n[REDACTED PRIVATE KEY]\r\nlast'],
])('a secret %s is hidden; the other lines stay as they are where that is possible', (_where, drawn, wanted) => {
  expect(clean(drawn)).toBe(wanted);
});

test('a screen without a secret stays as it is', () => {
  const drawn = '\x1b[31mred\x1b[0m\x1b[40Cright\r\n\x1b[?1049h\x1b[Halt';
  expect(clean(drawn)).toBe(drawn);
});
