/** What is carried from one command to the next, and what is not. */
/* eslint-disable no-template-curly-in-string -- shell expansions are what is tested */
import { expect } from 'vitest';
import type { Case } from './environment.ts';

export const stateCases: readonly Case[] = [
  { name: 'the directory after the command is told', run: async (session) => {
    expect((await session.run('mkdir inner && cd inner')).cwd).toBe(`${session.directory}/inner`);
  } },
  { name: 'the directory is told when the command fails, too', run: async (session) => {
    expect(await session.run('mkdir inner && cd inner && false')).toMatchObject({ cwd: `${session.directory}/inner`, exitCode: 1 });
  } },
  { name: 'the directory is told when the command calls exit', run: async (session) => {
    expect(await session.run('mkdir inner && cd inner && exit 3')).toMatchObject({ cwd: `${session.directory}/inner`, exitCode: 3 });
  } },
  { name: 'the directory is told without its links', run: async (session) => {
    expect((await session.run('mkdir real && ln -s real link && cd link')).cwd).toBe(`${session.directory}/real`);
  } },
  { name: 'directories with odd names are told right', run: async (session) => {
    expect((await session.run(String.raw`mkdir "a b'c\$d" && cd a*`)).cwd).toBe(`${session.directory}/a b'c$d`);
  } },
  { name: 'a directory that the command removed is not told', run: async (session) => {
    expect((await session.run('mkdir gone && cd gone && rmdir ../gone')).cwd).toBeUndefined();
  } },
  { name: 'a command starts in the directory it was given', run: async (session) => {
    await session.run('mkdir -p deep/er');
    expect((await session.run('pwd', { cwd: `${session.directory}/deep/er` })).text).toBe(`${session.directory}/deep/er\n`);
  } },
  { name: 'a directory that does not exist is refused with 126', run: async (session) => {
    expect((await session.run('pwd', { cwd: `${session.directory}/missing` })).exitCode).toBe(126);
  } },
  { name: 'an exported variable is there for the next command', run: async (session) => {
    await session.run(String.raw`export CARRIED="$(printf 'two\nlines and "quotes" and \044dollars')"`);
    expect((await session.run('printf %s "$CARRIED"')).text).toBe('two\nlines and "quotes" and $dollars');
  } },
  { name: 'a variable that was not exported is gone', run: async (session) => {
    await session.run('NOT_EXPORTED=1');
    expect((await session.run('echo "${NOT_EXPORTED-gone}"')).text).toBe('gone\n');
  } },
  { name: 'an unset variable stays unset', run: async (session) => {
    await session.run('export TO_UNSET=1');
    await session.run('unset TO_UNSET');
    expect((await session.run('echo "${TO_UNSET-gone}"')).text).toBe('gone\n');
  } },
  { name: 'a function is there for the next command', run: async (session) => {
    await session.run('greet() { echo "hello $1"; }');
    expect((await session.run('greet you')).text).toBe('hello you\n');
  } },
  { name: 'an alias is there for the next command', run: async (session) => {
    await session.run("alias shout='echo LOUD'");
    expect((await session.run('shout now')).text).toBe('LOUD now\n');
  } },
  { name: 'an alias for cd does not keep commands from starting', run: async (session) => {
    await session.run("alias cd='false'; pushd() { false; }");
    expect(await session.run('pwd')).toMatchObject({ text: `${session.directory}\n`, exitCode: 0 });
    await session.run('unalias cd; unset -f pushd');
  } },
  { name: 'set -e of one command does not reach the next', run: async (session) => {
    await session.run('set -eu');
    expect((await session.run('false; echo "${nothing}still here"')).text).toBe('still here\n');
  } },
  { name: 'a per-call variable does not reach the next command', run: async (session) => {
    await session.run('true', { env: { ONLY_ONCE: '1' } });
    expect((await session.run('echo "${ONLY_ONCE-gone}"')).text).toBe('gone\n');
  } },
  { name: 'a background command sees the variables and changes none', run: async (session) => {
    await session.run('export SEEN=yes');
    expect((await session.run('echo "$SEEN"; export SEEN=no', { shell: 'plain' })).text).toBe('yes\n');
    expect((await session.run('echo "$SEEN"')).text).toBe('yes\n');
  } },
  { name: 'a command that is killed leaves the variables as they were', run: async (session) => {
    await session.run('export STAYS=1');
    await session.run('export STAYS=2; kill -9 $$');
    expect((await session.run('echo "$STAYS"')).text).toBe('1\n');
  } },
];
