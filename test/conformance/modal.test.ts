import { describe, expect } from 'vitest';
import { havePlaces } from '../support/hosted/place.ts';
import { startModal } from '../support/modal/server.ts';
import { describeEnvironment } from './environment.ts';

describe.skipIf(!await havePlaces())('through Modal\'s SDK against a server that speaks its gRPC', () => {
  describeEnvironment('modal', async () => {
    const modal = await startModal();
    const environment = modal.make({ task: 'conformance', settings: { TERMINAL_CONTAINER_PERSISTENT: 'false' } });
    await environment.open();
    return {
      environment, directory: '/workspace/conformance',
      close: async () => {
        await environment.close();
        const { complaints, problems } = modal;
        const left = modal.running();
        await modal.close();
        expect({ complaints, problems, left }).toEqual({ complaints: [], problems: [], left: [] });
      },
    };
  });
});
