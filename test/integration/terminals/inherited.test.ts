import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDesk, watch, type Desk } from '../../support/terminals/desk.ts';

/** Descriptors that are the near end of a pseudo-terminal: whoever holds one types into it. */
const HELD = 'ls -l /proc/self/fd | grep -c ptmx || true';

describe('a program that Talaria starts', () => {
  let desk: Desk;
  beforeEach(() => { desk = openDesk(); });
  afterEach(async () => {
    await desk.close();
    desk.discard();
  });

  test('holds no end of the terminals of others, so it cannot type into the person’s own shell', async () => {
    const own = await desk.terminals.open({ cols: 80, rows: 24 });
    const view = await watch(desk, own.id);
    expect((await desk.run(HELD)).output.trim()).toBe('0');
    expect((await desk.run(`${HELD}; echo said >&2`, { pty: true })).output.trim()).toBe('0\r\nsaid');
    const { id } = await desk.start(HELD);
    expect(await desk.process('wait', id)).toMatchObject({ output: expect.stringMatching(/^0\s*$/) as unknown });
    const second = await desk.terminals.open({ cols: 80, rows: 24 });
    const shell = await watch(desk, second.id);
    desk.terminals.write(second.id, `echo held $(${HELD})\r`);
    await shell.saw(/held 0/);
    view.detach();
    shell.detach();
  });
});
