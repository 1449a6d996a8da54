import { describe, expect } from 'vitest';
import { havePlaces } from '../support/hosted/place.ts';
import { startVercel } from '../support/vercel/server.ts';
import { describeEnvironment } from './environment.ts';

describe.skipIf(!await havePlaces())('through Vercel\'s SDK against a server that speaks its REST and lines of JSON', () => {
  describeEnvironment('vercel_sandbox', async () => {
    const vercel = await startVercel();
    const environment = vercel.make({ task: 'conformance', settings: { TERMINAL_CONTAINER_PERSISTENT: 'false' } });
    await environment.open();
    return {
      environment, directory: '/workspace/conformance',
      close: async () => {
        await environment.close();
        const { complaints, problems } = vercel;
        const left = vercel.running();
        await vercel.close();
        expect({ complaints, problems, left }).toEqual({ complaints: [], problems: [], left: [] });
      },
    };
  }, { cannot: { pty: 'Vercel\'s SDK has no call for a pseudo-terminal (openInteractive only hands out an address for its own command line)' } });
});
