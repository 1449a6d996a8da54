import { expect, test } from 'vitest';
import type { BackendName, Environment } from '../../../environments/base.ts';
import { silentLog } from '../../../main/log.ts';
import { Places } from '../../../main/terminals/places.ts';
import { manualClock } from '../../support/cli-host.ts';

interface Made { readonly key: string; closed: boolean }

function open(backend: BackendName, more: { readonly variables?: Readonly<Record<string, string>>; readonly busy?: () => boolean } = {}) {
  const clock = manualClock();
  const made: Made[] = [];
  const config: Record<string, string> = { 'terminal.backend': backend, 'terminal.lifetime_seconds': '120' };
  const places = new Places({
    clock, log: silentLog, isBusy: () => more.busy?.() ?? false, config: { get: (path) => config[path], env: (name) => more.variables?.[name] },
    environments: new Map([['local', factory('local')], ['docker', factory('docker')]]),
  });
  function factory(name: BackendName) {
    return ({ key, onProgress }: { readonly key: string; onProgress(text: string): void }): Environment => {
      const one: Made = { key, closed: false };
      made.push(one);
      onProgress(`making ${key}`);
      // Only what places touch of an environment is there.
      return { backend: name, open: () => Promise.resolve(), close: () => { one.closed = true; return Promise.resolve(); } } as unknown as Environment;
    };
  }
  return { places, clock, made };
}
const settle = () => new Promise((resolve) => { setImmediate(resolve); });

test('a container that nobody has used for its lifetime is let go, and the next command gets a new one', async () => {
  const { places, clock, made } = open('docker');
  const first = await places.environment('a');
  clock.pass(60_000);
  await settle();
  expect(made.map(({ closed }) => closed)).toEqual([false]);
  for (let minute = 0; minute < 3; minute++) {
    clock.pass(60_000);
    await settle();
  }
  expect(made.map(({ closed }) => closed)).toEqual([true]);
  expect(await places.environment('a')).not.toBe(first);
  await places.close();
});

test('one in which a background process lives is kept, as are places on this machine', async () => {
  const busy = open('docker', { busy: () => true });
  await busy.places.environment('a');
  const local = open('local');
  await local.places.environment('a');
  for (let minute = 0; minute < 5; minute++) {
    busy.clock.pass(60_000);
    local.clock.pass(60_000);
    await settle();
  }
  expect([...busy.made, ...local.made].map(({ closed }) => closed)).toEqual([false, false]);
});

test('TERMINAL_ENV decides the backend and shuts the file out of the whole group', async () => {
  const { places } = open('docker', { variables: { TERMINAL_ENV: ' Local ' } });
  expect(places.backend('a')).toBe('local');
  expect(places.setting('TERMINAL_LIFETIME_SECONDS', 'terminal.lifetime_seconds')).toBeUndefined();
  expect((await places.environment('a')).backend).toBe('local');
});

test('everybody who waits for a place is told how far it is, and it is made once', async () => {
  const { places, made } = open('docker');
  const told: string[] = [];
  await Promise.all([places.environment('a', (text) => told.push(`a ${text}`)), places.environment('b', (text) => told.push(`b ${text}`))]);
  expect(made).toHaveLength(1);
  expect(told).toContain('a making docker:default');
});

test('a place that is to be renewed is made anew, and what runs in the old one goes on', async () => {
  const { places, made } = open('local');
  await places.environment('a');
  await places.environment('b');
  places.renew('a');
  await places.environment('a');
  await places.environment('b');
  expect(made.map(({ key, closed }) => `${key} ${String(closed)}`)).toEqual(['local:a false', 'local:b false', 'local:a false']);
});
