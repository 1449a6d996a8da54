import { describe } from 'vitest';
import { describeLives } from '../../support/hosted/lives.ts';
import { havePlaces } from '../../support/hosted/place.ts';
import { startModal } from '../../support/modal/server.ts';

describe.skipIf(!await havePlaces())('Modal', () => {
  describeLives(startModal, {
    withoutKey: { credentials: { MODAL_TOKEN_SECRET: undefined }, says: /Modal needs MODAL_TOKEN_SECRET/ },
    wrongKey: { credentials: { MODAL_TOKEN_SECRET: 'as-wrong' }, says: /Modal refused the credentials/ },
    wrongImage: { settings: { TERMINAL_MODAL_IMAGE: 'no/such:image' }, says: /Modal sandbox could not be made: .*manifest unknown/ },
    snapshotFile: 'modal_snapshots.json',
  });
});
