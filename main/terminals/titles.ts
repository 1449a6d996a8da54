/** What terminals are called until a person renames them. */
import { basename } from 'node:path';
import type { Terminal } from '../../preload/contract/terminal.ts';

const TITLE_CHARS = 80;

/** Folder and a number of its own, so that several shells can be told apart: `Shell 2 · project`. */
export function shellTitle(cwd: string, others: readonly Terminal[]): string {
  const taken = new Set(others.filter(({ kind }) => kind === 'user').map(({ title }) => /^Shell (\d+)/.exec(title)?.[1]));
  let number = 1;
  while (taken.has(String(number))) number += 1;
  return `Shell ${number} · ${basename(cwd) || cwd}`;
}

/** First line of the command. */
export function titleOf(command: string): string {
  const [first = ''] = command.trim().split('\n');
  return first.length > TITLE_CHARS ? `${first.slice(0, TITLE_CHARS - 1)}…` : first;
}
