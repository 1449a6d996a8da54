import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import '../../../tools/homeassistant.ts';
import { callService, getState, listEntities, listServices } from '../../../tools/homeassistant/actions.ts';
import { homeAssistant } from '../../../tools/homeassistant/connection.ts';
import { registry } from '../../../tools/registry.ts';
import { HASS_TOKEN, type LoopbackHome, startHomeAssistant } from '../../support/home-assistant.ts';
import { type ToolBench, openToolBench } from '../../support/tool-context.ts';

let home: LoopbackHome;
let bench: ToolBench;

beforeAll(async () => {
  [home, bench] = await Promise.all([startHomeAssistant(), openToolBench()]);
  bench.variables.set('HASS_URL', `${home.url}/`).set('HASS_TOKEN', HASS_TOKEN);
});
afterAll(() => Promise.all([home.close(), bench.close()]));
afterEach(() => {
  Object.assign(home, { trouble: 'none', socketTrouble: 'none' });
  bench.answer = { approved: true };
  bench.reviews.length = 0;
  bench.variables.set('HASS_URL', home.url).set('HASS_TOKEN', HASS_TOKEN);
});

const run = async (tool: typeof getState, args: Record<string, unknown>): Promise<{ result?: unknown; error?: string }> => JSON.parse(await tool(args, bench.context())) as { result?: unknown; error?: string };
const ids = (answer: { result?: unknown }): string[] => (answer.result as { entities: { entity_id: string }[] }).entities.map(({ entity_id: id }) => id);

describe('reading', () => {
  test('ha_list_entities gives count, ids, states and names; a domain narrows it', async () => {
    expect(await run(listEntities, {})).toMatchObject({ result: { count: 5 } });
    expect(await run(listEntities, { domain: 'light' })).toEqual({ result: { count: 2, entities: [
      { entity_id: 'light.kitchen', state: 'off', friendly_name: 'kitchen' }, { entity_id: 'light.hall', state: 'on', friendly_name: 'hall' },
    ] } });
  });

  test.each([['Kitchen', ['light.kitchen', 'sensor.oven']], ['galley', ['light.kitchen', 'sensor.oven']], ['hall', ['light.hall', 'switch.moved', 'lock.front']]])('area %s: entities placed there and those of devices there, an own place first', async (area, expected) => {
    expect(ids(await run(listEntities, { area }))).toEqual(expected);
  });

  test('an area that does not exist is answered with the areas there are', async () => {
    expect((await run(listEntities, { area: 'cellar' })).error).toContain('Areas: Hall, Kitchen.');
  });

  test('ha_get_state gives the documented fields', async () => {
    expect(await run(getState, { entity_id: 'sensor.oven' })).toEqual({ result: {
      entity_id: 'sensor.oven', state: '180', attributes: { friendly_name: 'oven' }, last_changed: '2026-01-01T00:00:00+00:00', last_updated: '2026-01-01T00:00:00+00:00',
    } });
  });

  test('an entity that is not there is told so with the tool that lists them', async () => {
    expect((await run(getState, { entity_id: 'light.attic' })).error).toMatch(/HTTP 404.*ha_list_entities/);
  });

  test('ha_list_services gives domains, services and what each field means', async () => {
    expect(await run(listServices, { domain: 'light' })).toMatchObject({ result: { count: 1, domains: [{ domain: 'light', services: { turn_on: { description: 'Turns a light on.', fields: { brightness_pct: 'How bright, in percent.' } } } }] } });
  });
});

describe('calling a service', () => {
  test('the state changes, and the affected entities come back', async () => {
    expect(await run(callService, { domain: 'light', service: 'turn_on', entity_id: 'light.kitchen', data: '{"brightness_pct": 40}' })).toEqual({ result: {
      success: true, service: 'light.turn_on', affected_entities: [{ entity_id: 'light.kitchen', state: 'on' }],
    } });
    expect(home.requests.at(-1)).toEqual({ path: 'POST /api/services/light/turn_on', body: { brightness_pct: 40, entity_id: 'light.kitchen' } });
    expect(bench.reviews).toEqual([]);
  });

  test('the entity asked for wins over one hidden in the data', async () => {
    await run(callService, { domain: 'light', service: 'turn_off', entity_id: 'light.kitchen', data: { entity_id: 'lock.front' } });
    expect(home.requests.at(-1)?.body).toEqual({ entity_id: 'light.kitchen' });
  });

  test.each(['shell_command', 'command_line', 'python_script', 'pyscript', 'hassio', 'rest_command'])('%s is blocked and nothing is sent', async (domain) => {
    const before = home.requests.length;
    expect((await run(callService, { domain, service: 'run' })).error).toContain('Blocked');
    expect(home.requests.length).toBe(before);
  });

  test.each([
    [{ domain: 'Shell_command', service: 'run' }, 'no domain'], [{ domain: 'shell_command ', service: 'run' }, 'no domain'], [{ domain: 'light/../shell_command', service: 'x' }, 'no domain'], [{ domain: 'light', service: '../shell_command/run' }, 'no service'],
    [{ domain: 'light', service: 'turn_on', entity_id: 'Light.Kitchen' }, 'no entity id'], [{ domain: 'light', service: 'turn_on', entity_id: 'light.kitchen/../x' }, 'no entity id'], [{}, 'no domain'],
    [{ domain: 'light', service: 'turn_on', data: '[1]' }, 'JSON object'], [{ domain: 'light', service: 'turn_on', data: '{oops' }, 'cannot be read'], [{ domain: 'light', service: 'turn_on', data: 7 }, 'JSON object'],
  ])('%j is refused before anything is sent: %s', async (args, words) => {
    const before = home.requests.length;
    expect((await run(callService, args)).error).toContain(words);
    expect(home.requests.length).toBe(before);
  });

  test('unlocking asks a person first; a refusal sends nothing', async () => {
    bench.answer = { approved: false, message: 'Denied by the user.' };
    const before = home.requests.length;
    expect(await run(callService, { domain: 'lock', service: 'unlock', entity_id: 'lock.front' })).toEqual({ error: 'Denied by the user.' });
    expect(home.requests.length).toBe(before);
    expect(bench.reviews).toMatchObject([{ tool: 'ha_call_service', command: 'ha_call_service lock.unlock {"entity_id":"lock.front"}', requirePerson: { description: 'unlocks a door' } }]);
    bench.answer = { approved: true };
    expect(await run(callService, { domain: 'lock', service: 'unlock', entity_id: 'lock.front' })).toMatchObject({ result: { affected_entities: [{ state: 'unlocked' }] } });
  });

  test('config names further services that ask', async () => {
    bench.config.set('homeassistant.ask_services', ['light.*']);
    await run(callService, { domain: 'light', service: 'turn_on', entity_id: 'light.hall' });
    bench.config.delete('homeassistant.ask_services');
    expect(bench.reviews).toHaveLength(1);
  });
});

describe('trouble', () => {
  test.each([
    ['error-500', /HTTP 500: .*in trouble.*log/s], ['html', /is not Home Assistant/], ['redirect', /redirects. Set HASS_URL/], ['huge', /could not be reached.*(size|exceed)/is],
  ] as const)('%s is answered in words', async (trouble, words) => {
    home.trouble = trouble;
    expect((await run(listEntities, {})).error).toMatch(words);
  });

  test('a server that does not answer is given up when the call is stopped, at once', async () => {
    home.trouble = 'half-open';
    const stop = new AbortController();
    const waiting = listEntities({}, bench.context({ signal: stop.signal }));
    stop.abort(new Error('stopped by the person'));
    await expect(waiting).rejects.toThrow('stopped by the person');
  });

  test('a socket that never logs in is given up when the call is stopped', async () => {
    home.socketTrouble = 'silent';
    const stop = new AbortController();
    const waiting = listEntities({ area: 'Hall' }, bench.context({ signal: stop.signal }));
    stop.abort(new Error('stopped by the person'));
    await expect(waiting).rejects.toThrow('stopped by the person');
  });

  test('a socket that is cut is answered in words', async () => {
    home.socketTrouble = 'cut';
    expect((await run(listEntities, { area: 'Hall' })).error).toContain('closed the connection before the login');
  });

  test('a wrong token is told with where to make a new one and is not in the answer', async () => {
    bench.variables.set('HASS_TOKEN', 'wrong-token-value');
    for (const args of [{}, { area: 'Hall' }]) {
      const { error } = await run(listEntities, args);
      expect(error).toContain('long-lived access token');
      expect(error).not.toContain('wrong-token-value');
    }
  });

  test('nothing at the address', async () => {
    bench.variables.set('HASS_URL', 'http://127.0.0.1:1');
    expect((await run(listEntities, {})).error).toMatch(/could not be reached at http:\/\/127\.0\.0\.1:1.*HASS_URL/);
    expect((await run(listEntities, { area: 'Hall' })).error).toContain('could not be reached');
  });
});

test('without a token, or with a wrong address, the toolset says what is missing', () => {
  expect(homeAssistant(() => undefined, () => undefined)).toMatchObject({ step: 'missing-variable', fix: expect.stringContaining('HASS_TOKEN=') as string });
  expect(homeAssistant(() => 'ftp://x', (name) => (name === 'HASS_TOKEN' ? 't' : undefined))).toMatchObject({ step: 'check-failed' });
  expect(homeAssistant(() => undefined, (name) => (name === 'HASS_TOKEN' ? 't' : undefined))).toEqual({ url: 'http://homeassistant.local:8123', token: 't' });
});

test('the four tools join the toolset by being loaded', () => {
  expect(['ha_list_entities', 'ha_get_state', 'ha_list_services', 'ha_call_service'].map((name) => registry.getEntry(name)?.toolset)).toEqual(Array(4).fill('homeassistant'));
});
