import { describe } from 'vitest';
import { startDaytona } from '../../support/daytona/server.ts';
import { describeLives } from '../../support/hosted/lives.ts';
import { havePlaces } from '../../support/hosted/place.ts';

describe.skipIf(!await havePlaces())('Daytona', () => {
  describeLives(startDaytona, {
    withoutKey: { credentials: { DAYTONA_API_KEY: undefined }, says: /Daytona needs DAYTONA_API_KEY/ },
    wrongKey: { credentials: { DAYTONA_API_KEY: 'dtn_wrong' }, says: /Daytona refused the credentials/ },
    wrongImage: { settings: { TERMINAL_DAYTONA_IMAGE: 'no/such:image' }, says: /Daytona sandbox could not be made: .*manifest unknown/ },
  });
});
