import { describe, expect, test } from 'vitest';
import { rewriteCompoundBackground } from '../../../tools/terminal/compound.ts';
import { exitCodeMeaning } from '../../../tools/terminal/exit-meaning.ts';
import { foregroundGuidance } from '../../../tools/terminal/guidance.ts';
import { redactionMode } from '../../../tools/terminal/output.ts';
import { refuseSudoFromStdin, sudoHint } from '../../../tools/terminal/sudo.ts';
import { readArguments } from '../../../tools/terminal/arguments.ts';

describe('commands that belong into the background', () => {
  test.each([
    'nohup ./server', 'setsid sleep 100', 'sleep 1; disown', 'sleep 100 &', 'a & b', 'cd x && npm run dev', 'npm start', 'pnpm dev', 'yarn serve', 'bun run watch', 'docker compose up',
    'docker-compose up', 'next dev', 'vite', 'npx vite', 'nodemon app.js', 'uvicorn app:app', 'gunicorn app', 'python -m http.server', 'python3 -m http.server 8000', '/usr/bin/nohup x', 'if true; then sleep 9 & fi',
  ])('%j is answered with advice', (command) => {
    expect(foregroundGuidance(command)).toMatch(/background=true/);
  });

  test.each([
    'echo "nohup x"', "echo 'sleep 1 &'", 'grep "npm run dev" README', 'vite build', 'vite --help', 'uvicorn --version', 'npm run dev -- -h', 'docker compose up -d', 'make 2>&1 | tail', 'cmd &> log', 'npm run build',
    'npm test', 'echo a && echo b', 'cat <<EOF\nnohup &\nEOF', 'man nohup',
  ])('%j may be waited for', (command) => {
    expect(foregroundGuidance(command)).toBeUndefined();
  });
});

describe('a compound list in the background', () => {
  test.each([
    ['cd a && ./run &', 'cd a && { ./run & }'],
    ['a && b || c &', 'a && b || { c & }'],
    ['a && b & c', 'a && { b & }; c'],
    ['a && b &\nc', 'a && { b & }\nc'],
    ['a && b | c &', 'a && { b | c & }'],
    ['x & a && b &', 'x & a && { b & }'],
  ])('%j becomes %j', (line, expected) => {
    expect(rewriteCompoundBackground(line)).toBe(expected);
    expect(rewriteCompoundBackground(expected)).toBe(expected);
  });

  test.each(['a &', 'a && b', 'a && b &> log', 'a && b 2>&1', '(a && b &)', '{ a && b & }', 'echo "a && b &"', 'a && ( b & )', 'a && cat <<E &\nx\nE', 'if ('])('%j stays as it is', (line) => {
    expect(rewriteCompoundBackground(line)).toBe(line);
  });
});

describe('the meaning of exit codes', () => {
  test.each([
    ['grep x f', 1, /No matches/], ['cat f | /usr/bin/rg x', 1, /No matches/], ['diff a b', 1, /differ/], ['find / -name x', 1, /could not be read/], ['test -f x', 1, /condition/], ['[ -f x ]', 1, /condition/],
    ['curl http://x', 6, /DNS/], ['curl http://x', 7, /connection/], ['curl -f http://x', 22, /HTTP/], ['curl http://x', 28, /timed out/], ['git diff --exit-code', 1, /git/], ['LC_ALL=C grep x f', 1, /No matches/],
    ['make; grep x f', 1, /No matches/],
  ])('%j with %i is explained', (command, code, words) => {
    expect(exitCodeMeaning(command, code)).toMatch(words);
  });

  test.each([['grep x f', 0], ['grep x f', 2], ['make', 1], ['grep x f | wc -l', 1], ['echo grep', 1]] as const)('%j with %i is not', (command, code) => {
    expect(exitCodeMeaning(command, code)).toBeUndefined();
  });
});

describe('sudo', () => {
  test.each(['sudo -S ls', 'echo pw | sudo -S ls', 'echo pw | sudo --stdin ls', 'sudo -kS ls', 'sudo -u root -S ls', '/usr/bin/sudo -S ls', 'sudo -p "" -S ls', 'true && sudo -nS id'])('%j is refused: a password never comes from the model', (command) => {
    expect(refuseSudoFromStdin(command)).toMatch(/^BLOCKED/);
  });

  test.each(['sudo ls', 'sudo ls -S', 'echo "sudo -S"', 'sudo -u S ls', 'sudo -uS ls', 'ls -S', 'sudo -- ls -S'])('%j is not', (command) => {
    expect(refuseSudoFromStdin(command)).toBeUndefined();
  });

  test('a missing password is explained, a rejected one is told', () => {
    expect(sudoHint('sudo id', 'sudo: a terminal is required to read the password; either use …')?.hint).toMatch(/nobody could be asked/);
    expect(sudoHint('sudo id', 'Sorry, try again.\nsudo: 3 incorrect password attempts')?.rejected).toBe(true);
    expect(sudoHint('cat log', 'sudo: a terminal is required to read the password')).toBeUndefined();
    expect(sudoHint('sudo id', 'uid=0(root)')).toBeUndefined();
  });
});

describe('output for the model', () => {
  test.each(['env', 'printenv X', 'export', 'ls; declare -p', 'cat .env', 'head -3 app/.env.local', 'source ./.envrc', 'env | sort'])('%j shows variables', (command) => {
    expect(redactionMode(command)).toBe('environment');
  });

  test.each(['cat main.py', 'echo env', 'ls .env.d/x', 'grep KEY src/a.ts'])('%j does not', (command) => {
    expect(redactionMode(command)).toBe('output');
  });
});

describe('arguments', () => {
  test.each([[undefined, 'undefined'], [null, 'null'], [7, 'number'], [['ls'], 'array'], [{}, 'object'], [true, 'boolean']])('a command of %j is refused by its type', (command, type) => {
    expect(readArguments({ command })).toEqual({ status: 'error', error: `Invalid command: expected string, got ${type}` });
  });

  test.each([["/tmp/'x", "'"], ['/a;b', ';'], ['/a$(b)', '$'], ['/a\nb', '\n'], ['/ü', 'ü']])('a workdir of %j is blocked', (workdir, character) => {
    expect(readArguments({ command: 'ls', workdir })).toMatchObject({ status: 'blocked', error: expect.stringContaining(`'${character}'`) as unknown });
  });

  test.each(['/a/b c', '~/x', 'C:\\Users\\me', '/a-b_c.d+e@f=g,h'])('a workdir of %j passes', (workdir) => {
    expect(readArguments({ command: 'ls', workdir })).toMatchObject({ workdir });
  });
});
