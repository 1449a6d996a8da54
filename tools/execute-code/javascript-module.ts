/** The module `hermes_tools` for scripts in JavaScript. Runs on Node 18 and newer. */
import type { Connection, ScriptFunction } from './languages.ts';

export function javascriptModule(functions: readonly ScriptFunction[], { folder, socket, token }: Connection): string {
  return `/** Tools of the chat that this script runs for. Every call resolves with what the tool answers, an object where it is JSON. */
import { access, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const FOLDER = ${JSON.stringify(folder)};
const SOCKET = ${JSON.stringify(socket ?? null)};
const TOKEN = ${JSON.stringify(token)};
let number = 0;

/** Packages of the project: require('…') as if from the working directory. */
globalThis.require = createRequire(join(process.cwd(), 'script.cjs'));

const there = (path) => access(path).then(() => true, () => false);

function bySocket(line) {
  return new Promise((resolve, reject) => {
    const link = connect(SOCKET, () => link.write(line + '\\n'));
    const parts = [];
    link.on('data', (part) => parts.push(part));
    link.on('end', () => resolve(Buffer.concat(parts).toString('utf8')));
    link.on('error', reject);
  });
}

async function byFiles(line) {
  number += 1;
  const base = join(FOLDER, process.pid + '-' + number);
  await writeFile(base + '.part', line);
  await rename(base + '.part', base + '.request');
  for (let pause = 20; !(await there(base + '.answer')); pause = Math.min(pause * 1.5, 500)) {
    if (!(await there(FOLDER))) throw new Error('the runtime has ended this script');
    await sleep(pause);
  }
  const answer = await readFile(base + '.answer', 'utf8');
  await rm(base + '.answer');
  return answer;
}

async function call(tool, given, raw = false) {
  const args = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null));
  const line = JSON.stringify({ token: TOKEN, tool, args, raw });
  const answer = await (SOCKET === null ? byFiles(line) : bySocket(line));
  if (answer === '') throw new Error('the runtime has ended this script');
  const text = JSON.parse(answer);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Each takes one object of named arguments; a single required one may be given alone. */
const asArguments = (value, required) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { [required]: value });
${functions.map(javascriptFunction).join('\n')}

export function json_parse(text) {
  const body = (/\`\`\`(?:json)?\\s*([\\s\\S]*?)\`\`\`/.exec(text)?.[1] ?? text).trim();
  for (const attempt of [text, body, body.replace(/,(\\s*[}\\]])/g, '$1')]) {
    const inner = /[{[][\\s\\S]*[}\\]]/.exec(attempt)?.[0] ?? attempt;
    for (const candidate of [attempt, inner]) try { return JSON.parse(candidate); } catch { continue; }
  }
  throw new Error('no JSON found in: ' + text.slice(0, 200));
}

export const shell_quote = (text) => (/^[\\w@%+=:,./-]+$/.test(text) ? text : "'" + String(text).replaceAll("'", "'\\\\''") + "'");

export async function retry(run, attempts = 3, delay = 1) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt >= attempts) throw error;
      await sleep(delay * 1000 * 2 ** (attempt - 1));
    }
  }
}
`;
}

function javascriptFunction({ name, required, optional }: ScriptFunction): string {
  const first = required[0] ?? optional[0] ?? 'value';
  if (name !== 'read_file') return `export const ${name} = (args) => call('${name}', asArguments(args, '${first}'));`;
  return `export const read_file = (args) => { const { raw = false, ...rest } = asArguments(args, '${first}'); return call('read_file', rest, raw); };`;
}
