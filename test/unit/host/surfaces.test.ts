import { expect, test } from 'vitest';
import { createSurfaces } from '../../../main/host/surfaces.ts';

test('a window that comes back within the grace was never gone, one that does not is', () => {
  let shown = 0;
  let timers: (() => void)[] = [];
  const surfaces = createSurfaces(
    { addSurface: () => { shown += 1; return () => { shown -= 1; }; } },
    { after: (_ms, run) => { timers.push(run); return () => { timers = timers.filter((other) => other !== run); }; } },
  );
  const leave = surfaces.addSurface('browser');
  leave();
  leave();
  expect([shown, surfaces.present]).toEqual([1, true]);
  const leaveAgain = surfaces.addSurface('browser');
  for (const run of timers.splice(0)) run();
  expect([shown, surfaces.present]).toEqual([1, true]);
  leaveAgain();
  surfaces.close();
  expect([shown, surfaces.present, timers]).toEqual([0, false, []]);
});
