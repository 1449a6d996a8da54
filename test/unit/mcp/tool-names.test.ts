import { describe, expect, test } from 'vitest';
import type { Tool } from '@modelcontextprotocol/client';
import { placeholderName, toolName } from '../../../main/mcp/names.ts';
import { registrationsOf, type ServerCalls } from '../../../main/mcp/tools.ts';

const nobody = (): Promise<string> => Promise.reject(new Error('not part of this test'));
const calls: ServerCalls = { callTool: nobody, listResources: nobody, readResource: nobody, listPrompts: nobody, getPrompt: nobody };
const filter = { resources: true, prompts: true, include: undefined, exclude: undefined };

describe('names that model servers accept', () => {
  test('a long one is cut to 64 characters and stays apart from others that begin like it', () => {
    const long = (end: string): string => toolName('our-company-github-enterprise', `create_or_update_pull_request_review_comment_${end}`);
    expect([long('a'), long('b')].map((name) => name.length)).toEqual([64, 64]);
    expect(long('a')).not.toBe(long('b'));
    expect(long('a')).toBe(long('a'));
    expect(toolName('größe', 'läuft.jetzt')).toMatch(/^[\w-]{1,64}$/);
    expect(placeholderName('s'.repeat(100))).toMatch(/^\w{64}$/);
    expect(toolName('git', 'log')).toBe('mcp_git_log');
  });

  test('a tool that no request can carry is told and left out; the others of its server are there', () => {
    const tools = [{ name: 'huge', inputSchema: { type: 'object', enum: Array.from({ length: 100_001 }, () => 1) } }, { name: 'fine', inputSchema: { type: 'object' } }] as unknown as Tool[]; // cast: the SDK's type knows no enum here
    const { list, problems } = registrationsOf({ server: 's', filter, capabilities: {}, tools, held: new Map() }, calls);
    expect(list.map(({ name }) => name)).toEqual(['mcp_s_fine']);
    expect(problems).toEqual([expect.stringMatching(/^One of its tools is left out: .*mcp_s_huge.*100,000 values/)]);
  });
});
