/** One command: what reaches the shell, and how its end is told. */
import { expect } from 'vitest';
import type { Case } from './environment.ts';

export const commandCases: readonly Case[] = [
  { name: 'a command prints and ends with code 0', run: async (session) => {
    expect(await session.run('echo hello')).toMatchObject({ text: 'hello\n', exitCode: 0, signal: null, why: 'exit' });
  } },
  { name: 'the exit code of a failing command is kept', run: async (session) => {
    expect((await session.run('exit 37')).exitCode).toBe(37);
  } },
  { name: 'the exit code is that of the last command', run: async (session) => {
    expect((await session.run('true; false')).exitCode).toBe(1);
  } },
  { name: 'an unknown program ends with 127 and says which', run: async (session) => {
    const end = await session.run('no-such-program-at-all');
    expect(end.exitCode).toBe(127);
    expect(end.text).toContain('no-such-program-at-all');
  } },
  { name: 'a syntax error is told and no success', run: async (session) => {
    const end = await session.run('if then (');
    expect(end.exitCode).not.toBe(0);
    expect(end.text).toMatch(/syntax error/);
  } },
  { name: 'line numbers of errors count from the first line of the command', run: async (session) => {
    expect((await session.run('true\nno-such-program-here')).text).toMatch(/line 2/);
  } },
  { name: 'an exec that replaces the shell still tells its code', run: async (session) => {
    expect((await session.run('exec sh -c "exit 9"')).exitCode).toBe(9);
  } },
  { name: 'the command reaches the shell as it is: quotes, dollars, backslashes', run: async (session) => {
    expect((await session.run(String.raw`printf '%s\n' 'a"b' "c'd" e\\f '$HOME' "\$x" '!' '` + '`' + String.raw`'`)).text).toBe('a"b\nc\'d\ne\\f\n$HOME\n$x\n!\n`\n');
  } },
  { name: 'a here-document arrives byte for byte', run: async (session) => {
    const end = await session.run("cat > out <<'EOF'\nline $one\n\ttab `x`\nEOF");
    expect(end.exitCode).toBe(0);
    expect(await session.readText(`${session.directory}/out`)).toBe('line $one\n\ttab `x`\n');
  } },
  { name: 'a here-document at the end without a line feed gets no wrapper text', run: async (session) => {
    expect((await session.run('cat <<EOF\nlast\nEOF')).text).toBe('last\n');
  } },
  { name: 'a here-document that expands sees variables', run: async (session) => {
    expect((await session.run('v=7; cat <<EOF\nis $v\nEOF')).text).toBe('is 7\n');
  } },
  { name: 'text of several languages passes through unharmed', run: async (session) => {
    expect((await session.run("printf '%s' 'Grüße 你好 مرحبا 👩‍👩‍👧'")).text).toBe('Grüße 你好 مرحبا 👩‍👩‍👧');
  } },
  { name: 'a command of 300 kB runs', run: async (session) => {
    expect((await session.run(`printf %s '${'x'.repeat(300_000)}' | wc -c`)).text.trim()).toBe('300000');
  } },
  { name: 'a trailing comment does not swallow the end', run: async (session) => {
    expect(await session.run('echo one # comment')).toMatchObject({ text: 'one\n', exitCode: 0 });
  } },
  { name: 'a trailing backslash does not swallow the end', run: async (session) => {
    expect((await session.run('echo one \\')).exitCode).toBe(0);
  } },
  { name: 'positional parameters are empty', run: async (session) => {
    expect((await session.run('echo "$#:$*"')).text).toBe('0:\n');
  } },
  { name: 'a command with set -e that fails ends with its code', run: async (session) => {
    expect((await session.run('set -e; sh -c "exit 5"; echo not reached')).exitCode).toBe(5);
  } },
  { name: 'a trace of the command shows no line of the wrapper', run: async (session) => {
    const { text } = await session.run('set -x; echo traced');
    expect(text.split('\n').filter((line) => line.startsWith('+')).map((line) => line.replace(/^\++/, ''))).toEqual([' echo traced']);
  } },
  { name: 'an exit trap of the command runs once', run: async (session) => {
    expect(await session.run("trap 'echo bye' EXIT; exit 4")).toMatchObject({ text: 'bye\n', exitCode: 4 });
  } },
  { name: 'the environment says that an agent is at work', run: async (session) => {
    expect((await session.run('echo "$AI_AGENT $HERMES_AGENT $PAGER"')).text).toBe('hermes-agent true cat\n');
  } },
  { name: 'variables given for one call reach the command', run: async (session) => {
    expect((await session.run('echo "$ONE_CALL"', { env: { ONE_CALL: "it's $5" } })).text).toBe("it's $5\n");
  } },
  { name: 'commands run side by side without mixing their output', run: async (session) => {
    const ends = await Promise.all(['a', 'b', 'c', 'd'].map((letter) => session.run(`for i in 1 2 3; do echo ${letter}; done`)));
    expect(ends.map((end) => end.text)).toEqual(['a\na\na\n', 'b\nb\nb\n', 'c\nc\nc\n', 'd\nd\nd\n']);
  } },
];
