/* eslint-disable no-template-curly-in-string -- shell text is full of ${…} that is not ours */
import { expect, it } from 'vitest';
import { commandsOf, reviewCommand } from '../../../main/approvals/detect.ts';
import { corpus, PLACE, samples } from './detect-support.ts';

/** Bound of design 6 for any input of up to 100 kB, in milliseconds of this thread's own CPU time: other work on the machine does not count. */
const LIMIT_MS = 50;

/** A small generator of pseudo-random numbers (mulberry32), so that a failure can be run again. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const TOKENS = [
  ';', '&', '&&', '|', '||', '|&', '\n', '(', ')', '{ ', '}', '$(', '`', '<(', '>(', '((', '))', '[[ ', ' ]]', '"', "'", "$'", '$"', '\\', '\\\n', '#', '<<E\n', '\nE\n', "<<'E'\n", '<<<', '>', '>>', '2>&1', '<', '&>', '$x', '${x', '${x:-', '${!x}', '${x//a/b}', '}', '$((', '$@', '"$@"', '$IFS', '{a,b}', '{1..9}', '*', '?', '[a]', '~', '/', '=', 'x=', 'a+=(', 'if ', 'then ', 'fi', 'for x in ', 'do ', 'done', 'while ', 'case x in ', 'esac', ';;', 'function f ', 'f() ', 'coproc ', 'time ', '! ', 'rm -rf ', 'sudo ', 'env ', 'sh -c ', 'eval ', 'xargs ', 'find . -exec ', '\\;', 'ssh h ', 'git -c ', 'awk ', 'sed ', 'python -c ', 'trap ', 'alias x=', 'set -- ', 'read x ', 'cd ', 'export ', 'printf %s ', 'echo ', 'curl x ', 'cat ', 'tee ', 'docker run ', 'ｒｍ', '\x1b[31m', '\x9b', '\0', '\u200b', '\ud800', '🎉', ' ', ' ', '\t', 'a', 'b c',
];

function randomText(next: (below: number) => number): string {
  const length = next(40) + 1;
  const kind = next(3);
  if (kind === 0) return Array.from({ length: next(200) + 1 }, () => String.fromCharCode(next(256))).join('');
  if (kind === 1) return Array.from({ length }, () => String.fromCharCode(next(0x10000))).join('');
  return Array.from({ length }, () => TOKENS[next(TOKENS.length)] ?? '').join(next(2) === 0 ? ' ' : '');
}

function cpuMs(run: () => void): number {
  const before = process.threadCpuUsage();
  run();
  const spent = process.threadCpuUsage(before);
  return (spent.user + spent.system) / 1000;
}

it('never throws, takes long, or answers twice in two ways for random text', () => {
  const next = generator(20_261_130);
  for (const row of corpus('approval-cases')) reviewCommand(row.command, PLACE);
  const count = samples(20_000, 200_000);
  for (let index = 0; index < count; index++) {
    const text = randomText(next);
    let first: unknown;
    const spent = cpuMs(() => {
      first = reviewCommand(text, PLACE);
    });
    if (spent > LIMIT_MS) throw new Error(`${String(spent)} ms for ${JSON.stringify(text)}`);
    if (index % 4 === 0) {
      if (JSON.stringify(reviewCommand(text, PLACE)) !== JSON.stringify(first)) throw new Error(`two answers for ${JSON.stringify(text)}`);
      commandsOf(text, PLACE);
    }
  }
}, 600_000);

const repeat = (text: string, chars = 100_000): string => text.repeat(Math.ceil(chars / text.length)).slice(0, chars);
const doubling = `a0=xx;${Array.from({ length: 60 }, (_, index) => `a${String(index + 1)}=$a${String(index)}$a${String(index)};`).join('')}echo $a60`;
const functions = `${Array.from({ length: 30 }, (_, index) => `f${String(index)}(){ f${String(index + 1)}; f${String(index + 1)}; };`).join('')}f30(){ ls; }; f0`;

const HOSTILE: Record<string, string> = {
  'many commands': repeat('a b;'), 'many pipes': `${repeat('cat|')}sh`, 'many lists': `${repeat('rm x&&')}ls`, 'many redirections': `a ${repeat('>f\n')}`, 'many heredocs': repeat('cat <<E\nx\nE\n'), 'open heredocs': repeat('cat <<E\n'),
  'open quotes': repeat('"a\n'), 'nested substitutions': `${'$('.repeat(20_000)}ls`, 'twenty levels again and again': repeat(`${'$(a '.repeat(20)}${')'.repeat(20)}\n`), backticks: repeat('`a`\n'), 'wide braces': `echo ${'{a,b}'.repeat(700)}`,
  'long sum': `echo $((${repeat('1+\n', 60_000)}1))`, 'big array': `a=(${repeat('x\n', 60_000)});${'"${a[@]}";'.repeat(3000)}`, 'doubling variables': doubling, 'doubling functions': functions, 'many wrappers': repeat(`${'sudo '.repeat(700)}rm;`), xargs: repeat(`${'xargs '.repeat(500)}rm;`),
  downloads: repeat('curl u -o f; bash f;'), permissions: repeat('chmod +x a; ./a;'), evals: repeat('eval eval eval "a;"\n'), traps: repeat("trap 'a' EXIT;"), escapes: repeat('\x1b]\n'), 'C1 controls': repeat('\x90;'), 'full-width': repeat('ｒｍ;'), 'combining marks': repeat('e\u0301;'),
  'awk program': `awk '${repeat('system("a")\n')}'`, 'sed program': `sed '${repeat('s/a/b/e\n')}'`, 'open sed': `sed 's${repeat('/\n')}'`, 'python program': `python -c '${repeat('os.system("a")\n')}'`, sql: `psql -c "${repeat("DROP x; ' /* ")}"`, globs: `${repeat('*a', 3000)};rm ${repeat('/*', 3000)}`, paths: `rm ${repeat('/../a', 4000)};`, 'find actions': `find . ${repeat('-exec a \\;\n')}`, parameters: `x=${'a'.repeat(4000)};${repeat('echo ${x%%*b};')}`,
};

it.each(Object.entries(HOSTILE))('is quick on 100 kB of %s', (_, text) => {
  const command = text.slice(0, 100_000);
  reviewCommand(command, PLACE);
  const spent = Math.min(cpuMs(() => reviewCommand(command, PLACE)), cpuMs(() => reviewCommand(command, PLACE)));
  expect(spent).toBeLessThanOrEqual(LIMIT_MS);
});

it('judges an ordinary command within the bars of design 6', () => {
  const rows = corpus('approval-cases');
  for (let round = 0; round < 10; round++) for (const row of rows) reviewCommand(row.command, PLACE);
  const times = rows.map((row) => Math.min(...Array.from({ length: 3 }, () => cpuMs(() => reviewCommand(row.command, PLACE))))).sort((one, other) => one - other);
  expect(times[Math.floor(times.length / 2)]).toBeLessThanOrEqual(0.1);
  expect(times[Math.floor(times.length * 0.99)]).toBeLessThanOrEqual(1);
});
