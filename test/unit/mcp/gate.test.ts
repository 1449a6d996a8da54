import { expect, test } from 'vitest';
import { createGate } from '../../../main/mcp/gate.ts';

test('no more than the width runs at once, the others follow in order, and a failure frees its place', async () => {
  const gate = createGate(2);
  const begun: number[] = [];
  const ends = [1, 2, 3, 4].map(() => Promise.withResolvers<undefined>());
  const works = ends.map((end, index) => gate(async () => {
    begun.push(index);
    await end.promise;
    if (index === 1) throw new Error('lost');
    return index;
  }));
  expect(begun).toEqual([0, 1]);
  ends[1]?.resolve(undefined);
  await expect(works[1]).rejects.toThrow('lost');
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  for (const end of ends) end.resolve(undefined);
  expect(await Promise.all([works[0], works[2], works[3]])).toEqual([0, 2, 3]);
});
