import { describe } from 'vitest';
import { describeFaults } from '../../support/hosted/faults.ts';
import { havePlaces } from '../../support/hosted/place.ts';
import { startModal } from '../../support/modal/server.ts';

describe.skipIf(!await havePlaces())('Modal', () => {
  describeFaults(startModal);
});
