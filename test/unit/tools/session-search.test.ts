import { describe, expect, test } from 'vitest';
import '../../../tools/session-search.ts';
import type { HistoryHit, HistoryMessage, HistoryQuery, HistoryService } from '../../../tools/context.ts';
import { modeOf } from '../../../tools/session-search/modes.ts';
import { registry } from '../../../tools/registry.ts';
import { contextOf, parsed } from '../calls/support.ts';

const session = (id: string): { sessionId: string; title: string; source: string; updatedAt: number; messageCount: number; preview: string } =>
  ({ sessionId: id, title: `Title ${id}`, source: 'user', updatedAt: 1_700_000_000_000, messageCount: 3, preview: 'hello' });
const message = (id: string, text = `text of ${id}`): HistoryMessage => ({ messageId: id, role: 'user', text, createdAt: 1_700_000_000_000 });
const hit = (sessionId: string, messageId: string): HistoryHit => ({ sessionId, title: `Title ${sessionId}`, source: 'user', messageId, role: 'user', snippet: `>>>${messageId}<<<`, createdAt: 1_700_000_001_000 });

function past(more: Partial<HistoryService> = {}): { run: (args: Record<string, unknown>) => Promise<Record<string, unknown>>; asked: unknown[] } {
  const asked: unknown[] = [];
  const history: HistoryService = {
    recent: (options) => { asked.push(options); return [session('s1')]; },
    search: (options: HistoryQuery) => { asked.push(options); return [hit('s1', 'm1'), hit('s1', 'm2'), hit('s2', 'm3'), hit('s3', 'm4'), hit('s4', 'm5')]; },
    countHidden: () => 0,
    messages: ({ sessionId, around }) => ({ session: sessionId.startsWith('s') ? session(sessionId) : undefined, messages: around === undefined ? [message('first'), message('last')] : around.startsWith('m') ? [message(around)] : [], before: 4, after: 5 }),
    conversation: () => undefined, inProfile: () => { throw new Error('no profiles in this test'); },
    ...more,
  };
  return { asked, run: async (args) => parsed(await registry.dispatch('session_search', args, contextOf({ sessionId: 'current', services: { history } }))) };
}

describe('session_search', () => {
  test('without arguments lists recent chats, without the current one', async () => {
    const { run, asked } = past();
    expect(await run({})).toEqual({ success: true, mode: 'browse', count: 1, results: [{ session_id: 's1', title: 'Title s1', when: '2023-11-14T22:13:20.000Z', source: 'user', message_count: 3, preview: 'hello', link: 'session:s1' }] });
    expect(asked).toEqual([{ limit: 3, excludeSession: 'current' }]);
  });

  test('with a query shows one entry per chat, its own date, the match and both ends', async () => {
    const { run, asked } = past();
    const result = await run({ query: ' deploy ' });
    expect(result).toMatchObject({ success: true, mode: 'discovery', count: 3, note: expect.stringContaining('1 more chats match') as string });
    expect((result['results'] as unknown[])[0]).toEqual({ // cast: always a list
      session_id: 's1', title: 'Title s1', when: '2023-11-14T22:13:21.000Z', source: 'user', snippet: '>>>m1<<<', messages: [{ id: 'm1', role: 'user', content: 'text of m1', when: '2023-11-14T22:13:20.000Z' }],
      match_message_id: 'm1', messages_before: 4, messages_after: 5, bookend_start: 'user: text of first', bookend_end: 'user: text of last', link: 'session:s1',
    });
    expect(asked).toEqual([{ query: 'deploy', roles: ['user', 'assistant'], limit: 60, sort: 'newest', excludeSession: 'current' }]);
  });

  test('says how many matches it hid, and what to try when there are none', async () => {
    expect((await past({ countHidden: () => 7 }).run({ query: 'x' }))['note']).toContain('7 further matches are not shown');
    expect(await past({ search: () => [] }).run({ query: 'x' })).toMatchObject({ success: true, count: 0, note: expect.stringContaining('Nothing found') as string });
  });

  test('reads a chat, or around one message of it', async () => {
    const { run } = past();
    expect(await run({ session_id: 's1' })).toMatchObject({ mode: 'read', session_id: 's1', count: 2, messages_omitted: 5 });
    expect(await run({ session_id: 's1', around_message_id: 'm1' })).toMatchObject({ mode: 'scroll', around_message_id: 'm1', messages_before: 4, messages_after: 5, count: 1 });
  });

  test.each([[{ session_id: 'gone' }, /no chat gone/], [{ session_id: 's1', around_message_id: 'x' }, /no message x/], [{ around_message_id: 'm1' }, /needs session_id/]])('%j says what is missing', async (args, words) => {
    const result = await past().run(args);
    expect(result['success']).toBe(false);
    expect(result['error']).toMatch(words);
  });

  test('long messages are cut and say by how much', async () => {
    const { run } = past({ messages: () => ({ session: session('s1'), messages: [message('m1', 'x'.repeat(5_000))], before: 0, after: 0 }) });
    const content = async (detail: string): Promise<string> => JSON.stringify((await run({ query: 'q', detail }))['results']);
    expect(await content('adaptive')).toContain(`${'x'.repeat(600)}… [4400 more characters]`);
    expect(await content('full')).toContain(`${'x'.repeat(4_000)}… [1000 more characters]`);
  });

  test.each([
    [{ limit: 99 }, { kind: 'browse', limit: 10 }], [{ limit: -1 }, { kind: 'browse', limit: 1 }], [{ limit: 'x' }, { kind: 'browse', limit: 3 }],
    [{ query: 'q', sort: 'oldest', role_filter: 'Tool, ,user', detail: 'full' }, { kind: 'discovery', query: 'q', limit: 3, sort: 'oldest', roles: ['tool', 'user'], detail: 'full' }],
    [{ query: 'q', role_filter: '' }, { kind: 'discovery', query: 'q', limit: 3, sort: 'newest', roles: ['user', 'assistant'], detail: 'adaptive' }],
    [{ session_id: 's', around_message_id: 5, window: 99 }, { kind: 'scroll', sessionId: 's', around: '5', window: 20 }], [{ session_id: 's', query: 'q' }, { kind: 'discovery', query: 'q', limit: 3, sort: 'newest', roles: ['user', 'assistant'], detail: 'adaptive' }],
  ])('%j means %j', (args, mode) => {
    expect(modeOf(args)).toEqual(mode);
  });

  test('7.4 in a messenger only the chats of its conversation are looked at, unless scope says all', async () => {
    const { run, asked } = past({ conversation: (id) => (id === 'current' ? ['current', 's1'] : undefined) });
    expect(await run({})).toMatchObject({ success: true, note: expect.stringContaining("scope='all'") as string });
    expect(await run({ query: 'q' })).toMatchObject({ success: true, note: expect.stringContaining("scope='all'") as string });
    await run({ query: 'q', scope: 'ALL' });
    expect(asked).toMatchObject([{ onlySessions: ['current', 's1'] }, { onlySessions: ['current', 's1'] }, {}]);
    expect(asked[2]).not.toHaveProperty('onlySessions');
    expect(await run({ session_id: 's1' })).toMatchObject({ success: true });
    expect(await run({ session_id: 's2' })).toEqual({ success: false, error: "Chat s2 is outside this conversation. Pass scope='all' to look at all chats." });
    expect(await run({ session_id: 's2', scope: 'all' })).toMatchObject({ success: true, session_id: 's2' });
    expect(await run({ query: 'q', profile: 'work' })).toMatchObject({ success: false, error: expect.stringContaining("scope='all' as well") as string });
    expect(await run({ query: 'q', scope: 'mine' })).toEqual({ success: false, error: "scope must be 'current' or 'all'." });
  });

  test('7.4 profile looks into another profile, where no chat is the current one, and says in words when it cannot', async () => {
    const looked: string[] = [];
    const { run, asked } = past({
      inProfile(name, look) {
        looked.push(name);
        if (name === 'gone') throw Object.assign(new Error("There is no profile 'gone'."), { hint: 'Profiles here: default.' });
        return look({ ...fine, recent: (options) => { asked.push(options); return [session('s9')]; } }, name === 'default');
      },
    });
    const fine = { search: () => [], countHidden: () => 0, conversation: () => undefined, messages: () => ({ session: session('s9'), messages: [message('m1')], before: 0, after: 0 }) };
    expect(await run({ profile: 'work' })).toMatchObject({ success: true, results: [{ session_id: 's9' }] });
    await run({ profile: 'default' });
    expect(asked).toEqual([{ limit: 3 }, { limit: 3, excludeSession: 'current' }]);
    expect(await run({ profile: 'gone' })).toEqual({ success: false, error: "profile: There is no profile 'gone'. Profiles here: default." });
    expect(await run({ session_id: '@session:home/s9' })).toMatchObject({ mode: 'read', session_id: 's9' });
    expect(await run({ session_id: 'session:s1' })).toMatchObject({ mode: 'read', session_id: 's1' });
    expect(looked).toEqual(['work', 'default', 'gone', 'home']);
  });
});
