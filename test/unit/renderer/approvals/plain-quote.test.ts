import { expect, test } from 'vitest';
import { plainQuote } from '../../../../renderer/features/approvals/plain-quote.ts';

test.each([
  ['## Clean up\n\nI will remove **old** builds with `rm -rf build`.', 'Clean up\n\nI will remove old builds with rm -rf build.'],
  ['```bash\nrm -rf build\n```', 'rm -rf build'],
  ['- one\n* two\n  + three\n1. four', '• one\n• two\n  • three\n1. four'],
  ['> said *once*, __twice__', 'said once, twice'],
  ['see [the docs](https://evil.test/x "t")', 'see the docs (https://evil.test/x)'],
  ['[https://a.test](https://a.test) ![pic](http://b.test/p.png)', 'https://a.test pic (http://b.test/p.png)'],
  ['a\n\n---\n\n\nb', 'a\n\nb'],
  ['2 * 3 * 4, snake_case_name, a**b, x ** y', '2 * 3 * 4, snake_case_name, a**b, x ** y'],
  ['plain words', 'plain words'],
])('%j is quoted without its marks', (text, quote) => { expect(plainQuote(text)).toBe(quote); });

test('takes hostile text in its stride', () => {
  for (const text of ['*'.repeat(20_000), '['.repeat(20_000), '`'.repeat(20_000), '_'.repeat(20_000), '> '.repeat(10_000), '**a '.repeat(5_000)]) {
    const before = process.cpuUsage();
    plainQuote(text);
    expect(process.cpuUsage(before).user).toBeLessThan(400_000);
  }
});
