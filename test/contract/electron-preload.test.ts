/** The Electron preload against a stand-in for `electron`: the only four functions a page gets, and what crosses through them. */
import { expect, test } from 'vitest';
import { encodeOutput, type Talaria } from '../../preload/contract/index.ts';
import { exposed, ipcRenderer } from '../support/electron.ts';
import '../../preload/electron.ts';

const api = exposed.get('talaria') as unknown as Talaria; // what the preload has just put there
const port: { onmessage?: (event: { data: unknown }) => void } = {};
const settled = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve); });

test('the page gets exactly four functions', () => {
  expect([...exposed.keys()]).toEqual(['talaria']);
  expect(Object.entries(exposed.get('talaria') ?? {}).map(([name, value]) => [name, typeof value])).toEqual([
    ['request', 'function'], ['subscribe', 'function'], ['onOutput', 'function'], ['onStatus', 'function'],
  ]);
});

test('it says hello at once and speaks when it has its port', async () => {
  const statuses: string[] = [];
  api.onStatus((status) => { statuses.push(status); });
  const answer = api.request('sessions.list', {});
  expect(ipcRenderer.sent).toEqual([{ channel: 'talaria:hello', data: undefined }]);
  ipcRenderer.emit('talaria:output-port', { ports: [port] });
  await settled();
  expect(statuses).toEqual(['connecting', 'open']);
  expect(ipcRenderer.sent.at(-1)).toEqual({ channel: 'talaria:frame', data: '{"kind":"request","id":1,"name":"sessions.list","input":{}}' });
  ipcRenderer.emit('talaria:frame', {}, JSON.stringify({ kind: 'reply', id: 1, output: [] }));
  expect(await answer).toEqual([]);
});

test('a refusal crosses as a plain object, because a class would lose its code on the way', async () => {
  const answer = api.request('host.doctor', {});
  ipcRenderer.emit('talaria:frame', {}, JSON.stringify({ kind: 'error', id: 2, error: { code: 'config/locked', message: 'locked', hint: 'wait' } }));
  const refusal: unknown = await answer.catch((error: unknown) => error);
  expect(Object.getPrototypeOf(refusal)).toBe(Object.prototype);
  expect(refusal).toEqual({ code: 'config/locked', message: 'locked', hint: 'wait' });
});

test('terminal bytes arrive through the port, whole', () => {
  const heard: number[] = [];
  api.onOutput(4, (bytes) => { heard.push(...bytes); });
  port.onmessage?.({ data: encodeOutput(4, Uint8Array.of(0, 255, 13)) });
  expect(heard).toEqual([0, 255, 13]);
});

test('events reach the listeners of their topic until they leave', () => {
  const heard: unknown[] = [];
  const off = api.subscribe('models', (event) => { heard.push(event); });
  const event = JSON.stringify({ kind: 'event', topic: 'models', event: { type: 'changed' } });
  ipcRenderer.emit('talaria:frame', {}, event);
  off();
  ipcRenderer.emit('talaria:frame', {}, event);
  expect(heard).toEqual([{ type: 'changed' }]);
  expect(ipcRenderer.sent.slice(-2).map(({ data }) => data)).toEqual(['{"kind":"subscribe","topic":"models"}', '{"kind":"unsubscribe","topic":"models"}']);
});
