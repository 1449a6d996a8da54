import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TerminalId } from '../../../preload/contract/ids.ts';
import { type Desk, openDesk, SECRET, watch } from '../../support/terminals/desk.ts';

const START = SECRET.slice(0, 12);
const REST = SECRET.slice(12);

let desk: Desk;
beforeAll(() => { desk = openDesk(); });
afterAll(async () => {
  await desk.close();
  desk.discard();
});

/** A program that printed this and still runs. */
async function printed(output: string): Promise<TerminalId> {
  const { id } = await desk.start(`printf '${output}END'; sleep 600`, { pty: true });
  const screen = await watch(desk, id);
  if (!screen.snapshot.includes('END')) await screen.saw(/END/);
  screen.detach();
  return id;
}

describe('what is kept of a terminal that runs', () => {
  test.each([
    ['in plain', `key ${SECRET}\\n`],
    ['wrapped at the edge of the screen', `${'='.repeat(110)} ${SECRET}\\n`],
    ['coloured', `\\033[32m${SECRET}\\033[0m\\n`],
    ['cut by a change of colour', `${START}\\033[31m${REST}\\033[0m\\n`],
  ])('has no secret %s, neither as text nor as a screen', async (_how, output) => {
    const id = await printed(output);
    const { text } = await desk.terminals.text(id);
    const screen = await desk.terminals.screen(id);
    for (const kept of [text, screen]) {
      expect(kept).toContain('[hidden]');
      expect(kept).toContain('END');
      expect(kept).not.toContain(SECRET);
      expect(kept).not.toContain(REST);
    }
    await desk.process('kill', id);
    await desk.until(id, ({ state }) => state !== 'running');
    await expect.poll(() => desk.terminals.screen(id)).toContain('[hidden]');
    expect(await desk.terminals.screen(id)).not.toContain(REST);
  });

  test('has its colours when there is nothing to hide', async () => {
    const id = await printed('\\033[31mred\\033[0m\\n');
    expect(await desk.terminals.screen(id)).toContain('\x1b[31mred');
    await desk.process('kill', id);
  });

  test('is all of it, also what has left the screen long ago, to the last byte', async () => {
    const { id } = await desk.start(`seq 1 20000; echo ${SECRET}; printf LAST; sleep 600`, { pty: true });
    const screen = await watch(desk, id);
    if (!screen.snapshot.includes('LAST')) await screen.saw(/LAST/);
    screen.detach();
    const { text } = await desk.terminals.text(id);
    expect(text).toBe([...Array.from({ length: 20_000 }, (_, index) => String(index + 1)), '[hidden]', 'LAST'].join('\n'));
    await desk.process('kill', id);
  });
});

test('a short command with more lines than its screen keeps has them all after its end', async () => {
  const { terminalId } = await desk.run('seq 1 8000');
  const { text } = await desk.terminals.text(terminalId as TerminalId); // minted as one by the manager
  expect(text.split('\n')).toEqual(Array.from({ length: 8_000 }, (_, index) => String(index + 1)));
});
