import { describe, expect, test } from 'vitest';
import type { CallId, MessageId } from '../../../../preload/contract/index.ts';
import { countWords, drawnPattern, placesOf, sameIn, startAt, stepped } from '../../../../renderer/features/chat/find.ts';

const [one, two, three] = ['msg_1', 'msg_2', 'msg_3'] as MessageId[]; // only compared
const call = 'call_1' as CallId;
if (one === undefined || two === undefined || three === undefined) throw new Error('unreachable');
const order = [one, two, three];
const places = placesOf({ more: false, places: [{ messageId: one, times: 2 }, { messageId: two, callId: call, times: 1 }] });

test('every match in a message is a place, and a call is one', () => {
  expect(places).toEqual([{ messageId: one, callId: undefined, nth: 0 }, { messageId: one, callId: undefined, nth: 1 }, { messageId: two, callId: call, nth: 0 }]);
});

describe('the first place', () => {
  test('is at or behind the message that is seen first', () => {
    expect(startAt(places, order, one)).toBe(0);
    expect(startAt(places, order, two)).toBe(2);
    expect(startAt(places, order, undefined)).toBe(0);
  });

  test('is the last one where nothing comes behind, and none where nothing was found', () => {
    expect(startAt(places, order, three)).toBe(2);
    expect(startAt([], order, one)).toBe(-1);
  });

  test('is not in messages that are not loaded while a loaded one comes behind', () => {
    expect(startAt(places, [two, three], two)).toBe(2);
  });
});

test('steps go around at both ends, and nowhere where nothing was found', () => {
  expect([stepped(2, 3, 1), stepped(0, 3, -1), stepped(1, 3, 1), stepped(-1, 0, 1)]).toEqual([0, 2, 2, -1]);
});

test('a place is found again in a newer list', () => {
  const place = places[2];
  if (place === undefined) throw new Error('unreachable');
  expect(sameIn(places.slice(1), place)).toBe(1);
  expect(sameIn(places.slice(0, 2), place)).toBe(-1);
});

test('the count says which of how many, none, or nothing at all', () => {
  expect([countWords('x', 2, 17, false), countWords('x', 0, 5_000, true), countWords('x', -1, 0, false), countWords('  ', -1, 0, false)]).toEqual(['3 of 17', '1 of 5,000+', 'none', '']);
});

test('what is drawn is matched as it stands, over any space between the words', () => {
  const pattern = drawnPattern(' grey  (heron) ');
  expect('a Grey\n (HERON) and grey (heron)'.match(pattern ?? /^$/)).toEqual(['Grey\n (HERON)', 'grey (heron)']);
  expect(drawnPattern(' ')).toBeUndefined();
});
