/* eslint no-template-curly-in-string: "off" -- shell text with ${…} in it is what is tested here */
import { expect, test } from 'vitest';
import { cpuMs } from '../../support/cpu-time.ts';
import { parseDotEnv } from '../../../main/config/dotenv.ts';

test.each([
  ['A=1', '1'], ['A = 1 ', '1'], ['export A=1', '1'], ['A: 1', '1'], ['A=', ''], ['A=a=b', 'a=b'], ['A=a#b', 'a#b'], ['A=a # b', 'a'], ['A=# b', ''],
  ["A='a # b'", 'a # b'], ["A='a\\nb'", 'a\\nb'], ['A="a\\nb"', 'a\nb'], ['A="say \\"hi\\""', 'say "hi"'], ['A="two\nlines"', 'two\nlines'], ['A=`b"\'c`', 'b"\'c'],
  ['A="x" # why', 'x'], ['A=a\r\nB=2', 'a'], ['\ufeffA=1', '1'], ['# c\n\n  A=1', '1'], ['nonsense\nA=1', '1'], ['A=1\nA=2', '2'],
  ['A=${HOST}/x', 'h/x'], ['A=${NONE:-d}', 'd'], ["A='${HOST}'", '${HOST}'], ['B=b\nA=${B}c', 'bc'], ['A=${NONE}', ''],
])('%j gives A the value %j', (text, value) => {
  expect(parseDotEnv(text, { HOST: 'h' }).get('A')).toBe(value);
});

test('a hostile file takes no time', () => {
  expect(cpuMs(() => {
    parseDotEnv(`A="${'\\"'.repeat(100_000)}\n${'A='.repeat(50_000)}\n${"B='".repeat(50_000)}`);
    parseDotEnv(`A=${'${'.repeat(100_000)}`);
  })).toBeLessThan(1_000);
});
