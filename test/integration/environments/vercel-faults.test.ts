import { describe } from 'vitest';
import { describeFaults } from '../../support/hosted/faults.ts';
import { havePlaces } from '../../support/hosted/place.ts';
import { startVercel } from '../../support/vercel/server.ts';

describe.skipIf(!await havePlaces())('Vercel', () => {
  describeFaults(startVercel);
});
