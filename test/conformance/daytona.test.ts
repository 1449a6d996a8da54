import { describe, expect } from 'vitest';
import { havePlaces } from '../support/hosted/place.ts';
import { startDaytona } from '../support/daytona/server.ts';
import { describeEnvironment } from './environment.ts';

describe.skipIf(!await havePlaces())('through Daytona\'s SDK against a server that speaks its REST and WebSockets', () => {
  describeEnvironment('daytona', async () => {
    const daytona = await startDaytona();
    const environment = daytona.make({ task: 'conformance', settings: { TERMINAL_CONTAINER_PERSISTENT: 'false' } });
    await environment.open();
    return {
      environment, directory: '/workspace/conformance',
      close: async () => {
        await environment.close();
        const { complaints, problems } = daytona;
        const left = daytona.running();
        await daytona.close();
        expect({ complaints, problems, left }).toEqual({ complaints: [], problems: [], left: [] });
      },
    };
  });
});
