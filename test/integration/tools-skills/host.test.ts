import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

let bench: HostBench | undefined;
afterEach(async () => { await bench?.close(); });

test('a skill made through the host is listed and shown, also after a restart', async () => {
  const opened = await openHostBench({ withoutModel: true });
  bench = opened;
  const call = async (name: string, args: object): Promise<Record<string, unknown>> => {
    const session = await opened.session();
    return JSON.parse((await opened.host.callTool(name, args, { sessionId: session.id, signal: new AbortController().signal })).fullText) as Record<string, unknown>;
  };
  const content = '---\nname: brew\ndescription: How to brew tea.\n---\nBoil water.\n';
  expect(await call('skill_manage', { action: 'create', name: 'brew', content })).toMatchObject({ success: true });
  expect(await readFile(join(opened.home, 'skills/brew/SKILL.md'), 'utf8')).toBe(content);
  await opened.restart();
  expect(await call('skills_list', {})).toMatchObject({ success: true, skills: [{ name: 'brew', description: 'How to brew tea.' }] });
  expect(await call('skill_view', { name: 'brew' })).toMatchObject({ success: true, content });
});
