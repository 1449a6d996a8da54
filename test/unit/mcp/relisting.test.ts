import { expect, test } from 'vitest';
import type { Listing } from '../../../main/mcp/listing.ts';
import { Relisting } from '../../../main/mcp/relisting.ts';
import { ManualClock } from '../calls/support.ts';

const named = (name: string): Listing => ({ tools: [{ name, inputSchema: { type: 'object' } }], problems: [] });
const settle = async (): Promise<void> => { for (let round = 0; round < 10; round += 1) await Promise.resolve(); };

interface Scene { readonly relisting: Relisting; readonly clock: ManualClock; readonly open: PromiseWithResolvers<Listing>[]; readonly told: string[] }
/** A server whose answers the test gives. */
function scene(): Scene {
  const clock = new ManualClock();
  const open: PromiseWithResolvers<Listing>[] = [];
  const told: string[] = [];
  const relisting = new Relisting({
    clock, onTools: ({ tools }) => { told.push(tools.map(({ name }) => name).join()); }, onFailed: (error) => { told.push(`failed: ${String(error)}`); },
    list: () => { const answer = Promise.withResolvers<Listing>(); open.push(answer); return answer.promise; },
  });
  return { relisting, clock, open, told };
}
async function pass({ clock }: Scene): Promise<void> {
  clock.advance(100);
  await settle();
}

test('many notices in a row are one listing', async () => {
  const s = scene();
  for (let notice = 0; notice < 20; notice += 1) s.relisting.changed();
  await pass(s);
  expect(s.open).toHaveLength(1);
  s.open[0]?.resolve(named('new'));
  await settle();
  await pass(s);
  expect([s.told, s.open.length, s.clock.pending]).toEqual([['new'], 1, 0]);
});

test('a notice during a listing is listed after it, so that the older answer cannot come last', async () => {
  const s = scene();
  s.relisting.changed();
  await pass(s);
  s.relisting.changed();
  s.relisting.changed();
  await pass(s);
  expect(s.open, 'two listings at once').toHaveLength(1);
  s.open[0]?.resolve(named('older'));
  await settle();
  await pass(s);
  s.open[1]?.resolve(named('newer'));
  await settle();
  await pass(s);
  expect([s.told, s.open.length]).toEqual([['older', 'newer'], 2]);
});

test('a server that never stops saying so is listed all the same', async () => {
  const s = scene();
  for (let round = 0; round < 10; round += 1) {
    s.relisting.changed();
    s.clock.advance(50);
    await settle();
    s.open.at(-1)?.resolve(named(`round ${String(round)}`));
    await settle();
  }
  expect(s.told.length).toBeGreaterThanOrEqual(4);
});

test('a listing that fails is told, and the next notice lists again', async () => {
  const s = scene();
  s.relisting.changed();
  await pass(s);
  s.open[0]?.reject(new Error('busy'));
  await settle();
  s.relisting.changed();
  await pass(s);
  s.open[1]?.resolve(named('back'));
  await settle();
  expect(s.told).toEqual(['failed: Error: busy', 'back']);
});

test('after the connection is closed nothing is listed and nothing told', async () => {
  const s = scene();
  s.relisting.changed();
  await pass(s);
  s.relisting.changed();
  s.relisting.close();
  s.open[0]?.resolve(named('late'));
  await settle();
  s.relisting.changed();
  await pass(s);
  expect([s.told, s.open.length, s.clock.pending]).toEqual([[], 1, 0]);
});
