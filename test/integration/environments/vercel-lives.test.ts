import { describe } from 'vitest';
import { describeLives } from '../../support/hosted/lives.ts';
import { havePlaces } from '../../support/hosted/place.ts';
import { startVercel } from '../../support/vercel/server.ts';

describe.skipIf(!await havePlaces())('Vercel', () => {
  describeLives(startVercel, {
    withoutKey: { credentials: { VERCEL_TOKEN: undefined }, says: /Vercel needs VERCEL_TOKEN/ },
    wrongKey: { credentials: { VERCEL_TOKEN: 'wrong' }, says: /Vercel refused the credentials/ },
    wrongImage: { settings: { TERMINAL_VERCEL_RUNTIME: 'node4' }, says: /Vercel sandbox could not be made: .*unknown_runtime/ },
    snapshotFile: 'vercel_sandbox_snapshots.json',
  });
});
