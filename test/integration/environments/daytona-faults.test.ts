import { describe } from 'vitest';
import { describeFaults } from '../../support/hosted/faults.ts';
import { havePlaces } from '../../support/hosted/place.ts';
import { startDaytona } from '../../support/daytona/server.ts';

describe.skipIf(!await havePlaces())('Daytona', () => {
  describeFaults(startDaytona);
});
