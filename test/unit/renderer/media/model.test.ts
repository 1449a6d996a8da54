import { expect, test } from 'vitest';
import { mediaPaths } from '../../../../renderer/features/media/model.ts';

const call = (result: string | null, name = 'image_generate', args = '{}') => ({ name, arguments: args, result });

test('an answer names its picture', () => {
  expect(mediaPaths(call(JSON.stringify({ success: true, image: '/h/a.png', media_tag: 'MEDIA:/h/a "b".png' })))).toEqual(['/h/a "b".png']);
});
test('an answer that was cut short still names it, and the same file is shown once', () => {
  expect(mediaPaths(call('{"media_tag":"MEDIA:/h/a.png","x":{"media_tag": "MEDIA:/h/a.png"},"text":"…'))).toEqual(['/h/a.png']);
});
test('words that only mention one are words', () => {
  expect(mediaPaths(call('write MEDIA:/h/a.png on a line'))).toEqual([]);
  expect(mediaPaths(call(null))).toEqual([]);
});
test('a picture that is looked at is shown, an address of the web is not', () => {
  expect(mediaPaths(call('{}', 'vision_analyze', '{"image_url":"/h/a.png"}'))).toEqual(['/h/a.png']);
  expect(mediaPaths(call('{}', 'vision_analyze', '{"image_url":"https://example.org/a.png"}'))).toEqual([]);
  expect(mediaPaths(call('{}', 'vision_analyze', '{"image_'))).toEqual([]);
});
test('a flood of names is cut', () => {
  expect(mediaPaths(call(Array.from({ length: 100 }, (_none, at) => `"media_tag":"MEDIA:/h/${String(at)}"`).join()))).toHaveLength(8);
});
