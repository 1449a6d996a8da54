import { Terminal } from '@xterm/headless';
import { expect, test } from 'vitest';
import { withDivider } from '../../../main/terminals/divider.ts';

/** What a view of `cols` × `rows` shows of `data`, line by line, without what is empty at its end. */
async function shown(data: string, cols = 52, rows = 12): Promise<string[]> {
  const view = new Terminal({ cols, rows, allowProposedApi: true });
  await new Promise<void>((resolve) => { view.write(data, resolve); });
  const { active } = view.buffer;
  const lines = Array.from({ length: rows }, (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '');
  view.dispose();
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
}

test('the line stands right below a short screen, so that what was printed stays in view', async () => {
  expect(await shown(withDivider('bg 1\r\nbg 2\r\n', { state: 'exited' }))).toEqual(['bg 1', 'bg 2', '── from an earlier run of Talaria ──']);
  expect(await shown(withDivider('$ exit', { state: 'exited' }))).toEqual(['$ exit', '── from an earlier run of Talaria ──']);
});

test('of a program that still runs it says that its output is not shown, and fits a narrow panel', async () => {
  const lines = await shown(withDivider('bg 1\r\n', { state: 'running' }), 50);
  expect(lines).toEqual(['bg 1', '── from an earlier run ──', 'It still runs; what it prints now is not shown.']);
});

test('it never covers what a program had drawn below its cursor', async () => {
  const drawn = 'top\r\nmiddle\r\nbottom\x1b[2A\x1b[3D';
  const lines = await shown(withDivider(drawn, { state: 'exited' }));
  expect(lines.slice(0, 2)).toEqual(['middle', 'bottom']);
  expect(lines.at(-1)).toBe('── from an earlier run of Talaria ──');
});

test('the screen of a full-screen program gives way to what was there before it', async () => {
  const lines = await shown(withDivider('$ vim\r\n\x1b[?1049h\x1b[Hthe file', { state: 'lost' }));
  expect(lines.filter((line) => line !== '')).toEqual(['$ vim', '── from an earlier run of Talaria ──']);
});
