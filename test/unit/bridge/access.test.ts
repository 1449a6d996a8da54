import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { Access } from '../../../main/shells/browser/access.ts';

const foreign = 'the Host header names another machine';

describe('the names under which the browser shell may be reached', () => {
  test.each([
    ['127.0.0.1:4000', undefined], ['localhost:4000', undefined], ['LOCALHOST', undefined], ['[::1]:4000', undefined],
    ['192.168.0.7:4000', foreign], [`${hostname()}.evil:4000`, foreign], ['localhost.:4000', foreign], ['127.0.0.1.evil:4000', foreign], ['', foreign], ['a b', foreign],
    ['localhost:4000:1', foreign], ['user@localhost', foreign],
  ])('on loopback: %j', (host, refusal) => {
    expect(new Access({ beyondLoopback: false }).refusal({ host }, 'page')).toBe(refusal);
  });

  test.each([
    ['192.168.0.7:4000', undefined], ['[fe80::1]:4000', undefined], [`${hostname()}:4000`, undefined], ['evil.example:4000', foreign], ['999.1.1.1:4000', foreign],
  ])('beyond loopback, where asked for: %j (an address cannot be rebound, a foreign name can)', (host, refusal) => {
    expect(new Access({ beyondLoopback: true }).refusal({ host }, 'page')).toBe(refusal);
  });
});

test('a token is good once, a wrong one never, and one link does not spend another', () => {
  const access = new Access({ beyondLoopback: false });
  const first = access.mintToken();
  const second = access.mintToken();
  expect([access.redeem(`${first}0`), access.redeem(''), access.redeem(first), access.redeem(first), access.redeem(second)]).toEqual([false, false, true, false, true]);
});
