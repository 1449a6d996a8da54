/** Each tool of the classic table is run for real through the host, and its result has the fields that hermes-runtime documents. */
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SessionId } from '../../preload/contract/index.ts';
import { CLASSIC_TOOLS } from '../support/classic-table.ts';
import { openEveryTool, type EveryTool } from '../support/every-tool.ts';

type Result = Readonly<Record<string, unknown>>;
type Args = Readonly<Record<string, unknown>>;
/** `args` may be made from the results so far, by tool name. */
type Step = readonly [tool: string, args: Args | ((results: ReadonlyMap<string, Result>) => Args), fields: Result];

const text = expect.any(String) as string;
const some = expect.stringMatching(/\S/) as string;
const number = expect.any(Number) as number;
const truth = expect.any(Boolean) as boolean;
const list = expect.any(Array) as unknown[];
const object = expect.any(Object) as object;

const ORIGIN = 'ORIGIN';
const refOf = (results: ReadonlyMap<string, Result>, words: RegExp): string => `@${/\[@(\w+)\]/.exec(String(results.get('browser_navigate')?.['snapshot']).split('\n').find((line) => words.test(line)) ?? '')?.[1] ?? ''}`;
const SKILL = '---\nname: brew\ndescription: How to brew tea.\n---\nBoil water.\n';
const runId = (results: ReadonlyMap<string, Result>): Args => ({ run_id: results.get('rl_start_training')?.['run_id'] });

/** Fields of hermes-runtime 5 and 7, family by family; calls of a family build on each other. */
const FAMILIES: Readonly<Record<string, readonly Step[]>> = {
  file: [
    ['write_file', { path: 'a.txt', content: 'alpha\nbeta\n' }, { bytes_written: 11, resolved_path: some, files_modified: [some] }],
    ['read_file', { path: 'a.txt' }, { content: '1|alpha\n2|beta', total_lines: 2, file_size: 11, truncated: false }],
    ['search_files', { pattern: 'beta' }, { matches: [{ path: some, line: 2, content: 'beta' }], total_count: 1, truncated: false }],
    ['patch', { mode: 'replace', path: 'a.txt', old_string: 'beta', new_string: 'gamma' }, { success: true, diff: expect.stringContaining('+gamma') as string, files_modified: [some], resolved_path: some }],
  ],
  terminal: [
    ['terminal', { command: 'sleep 300', background: true }, { output: some, session_id: expect.stringMatching(/^proc_[0-9a-f]{12}$/) as string, pid: number, exit_code: 0, error: null }],
    ['process', (results) => ({ action: 'kill', session_id: results.get('terminal')?.['session_id'] }), { status: 'killed', session_id: some, exit_code: -15, completion_reason: 'killed', termination_source: some, output: text }],
    ['process', { action: 'list' }, { processes: list }],
    ['terminal', { command: 'echo out; exit 3' }, { output: 'out', exit_code: 3, error: null }],
  ],
  web: [
    ['web_search', { query: 'fox' }, { success: true, data: { web: [{ title: 'Foxes', url: 'https://fox.test/', description: 'About foxes', position: 1 }] } }],
    ['web_extract', { urls: [`${ORIGIN}/page`] }, { results: [{ url: some, title: 'Foxes', content: expect.stringContaining('red fox') as string, error: null }] }],
  ],
  vision: [['vision_analyze', { image_url: `${ORIGIN}/fox.png`, question: 'What is it?' }, { success: true, analysis: 'An answer.' }]],
  image_gen: [['image_generate', { prompt: 'a red fox' }, { success: true, image: expect.stringMatching(/\.png$/) as string, modality: 'text-to-image' }]],
  tts: [['text_to_speech', { text: 'Hello.' }, { success: true, file_path: some, media_tag: expect.stringMatching(/^MEDIA:/) as string, provider: 'openai', voice_compatible: truth }]],
  moa: [['mixture_of_agents', { user_prompt: 'why?' }, { success: true, response: 'An answer.', models_used: { reference_models: ['maker/one', 'maker/two'], aggregator_model: 'maker/judge' } }]],
  skills: [
    ['skill_manage', { action: 'create', name: 'brew', content: SKILL }, { success: true, message: some, path: some }],
    ['skills_list', {}, { success: true, skills: expect.arrayContaining([{ name: 'brew', description: 'How to brew tea.', category: null }]) as unknown[], categories: list, count: number, hint: some }],
    ['skill_view', { name: 'brew' }, {
      success: true, name: 'brew', description: some, tags: list, related_skills: list, content: SKILL, path: some, skill_dir: some, linked_files: object, usage_hint: some,
      required_environment_variables: [], missing_required_environment_variables: [], setup_needed: false, readiness_status: some,
    }],
  ],
  cronjob: [['cronjob', { action: 'create', prompt: 'Say hi', schedule: 'every 2h', name: 'hi' }, { success: true, job_id: some, name: 'hi', schedule: some, next_run_at: some, deliver: some, skills: [], message: some }]],
  messaging: [
    ['send_message', { action: 'send', target: 'telegram', message: 'ping' }, { success: true, platform: 'telegram', chat_id: '42', message_id: some, note: some }],
    ['send_message', { action: 'list' }, { targets: list }],
  ],
  todo: [['todo', { todos: [{ id: '1', content: 'Paint', status: 'in_progress' }] }, { todos: [{ id: '1', content: 'Paint', status: 'in_progress' }], summary: { total: 1, pending: 0, in_progress: 1, completed: 0, cancelled: 0 } }]],
  memory: [['memory', { action: 'add', target: 'memory', content: 'The kettle is blue.' }, { success: true, done: true, target: 'memory', usage: expect.stringMatching(/^\d+% — /) as string, entry_count: 1, message: some }]],
  session_search: [['session_search', {}, { success: true, mode: 'browse', results: list, count: number }]],
  clarify: [['clarify', { question: 'Which colour?', choices: ['red', 'blue'] }, { question: 'Which colour?', choices_offered: ['red', 'blue'], user_response: 'blue' }]],
  code_execution: [['execute_code', { code: 'from hermes_tools import terminal\nprint(terminal("echo hi")["output"].strip())' }, { status: 'success', output: 'hi\n', tool_calls_made: 1, duration_seconds: number }]],
  delegation: [['delegate_task', { goal: 'Do it' }, {
    results: [{ task_index: 0, status: 'completed', summary: 'Done by the sub-agent.', api_calls: 1, duration_seconds: number, model: 'scripted-model', tokens: { input: number, output: number }, tool_trace: [], exit_reason: 'completed' }], total_duration_seconds: number,
  }]],
  homeassistant: [
    ['ha_list_entities', { domain: 'light' }, { result: { count: 2, entities: expect.arrayContaining([{ entity_id: 'light.hall', state: 'on', friendly_name: 'hall' }]) as unknown[] } }],
    ['ha_get_state', { entity_id: 'sensor.oven' }, { result: { entity_id: 'sensor.oven', state: '180', attributes: object, last_changed: some, last_updated: some } }],
    ['ha_list_services', {}, { result: { count: 2, domains: expect.arrayContaining([{ domain: 'light', services: object }]) as unknown[] } }],
    ['ha_call_service', { domain: 'light', service: 'turn_on', entity_id: 'light.kitchen' }, { result: { success: true, service: 'light.turn_on', affected_entities: [{ entity_id: 'light.kitchen', state: 'on' }] } }],
  ],
  rl: [
    ['rl_list_environments', {}, { environments: [{ name: 'math', class_name: 'MathEnv', file_path: some, description: some }], count: 1 }],
    ['rl_select_environment', { name: 'math' }, { environment: 'math', configurable_fields: object }],
    ['rl_edit_config', { field: 'max_questions', value: '12' }, { field: 'max_questions', value: 12 }],
    ['rl_get_current_config', {}, { environment: 'math', configurable_fields: object, locked_fields: object }],
    ['rl_test_inference', { num_steps: 1, group_size: 2, models: ['maker/trained'] }, { models_tested: [{ model: 'maker/trained', success: true, steps: 1, completions: 2, correct: 2, accuracy: 1 }], best_model: 'maker/trained' }],
    ['rl_start_training', {}, { run_id: some, status: 'running', environment: 'math', config_path: some }],
    ['rl_check_status', runId, { run_id: some, status: 'running', environment: 'math', processes: object }],
    ['rl_get_results', runId, { run_id: some, status: 'running', logs: object, config_path: some }],
    ['rl_stop_training', runId, { run_id: some, status: 'stopped' }],
    ['rl_list_runs', {}, { runs: [{ run_id: some, environment: 'math', status: 'stopped', started_at: some }], count: 1 }],
  ],
};

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].some((path) => existsSync(path));
const BROWSER: readonly Step[] = [
  ['browser_navigate', { url: `${ORIGIN}/page` }, { success: true, url: some, title: 'Foxes', snapshot: expect.stringContaining('heading "Foxes"') as string, element_count: number }],
  ['browser_type', (results) => ({ ref: refOf(results, /textbox/), text: 'Ada' }), { success: true, typed: 'Ada', element: some }],
  ['browser_scroll', { direction: 'down' }, { success: true, scrolled: 'down' }],
  ['browser_press', { key: 'Tab' }, { success: true, pressed: 'Tab' }],
  ['browser_get_images', {}, { success: true, images: [{ src: some, alt: 'A fox', width: 40, height: 20 }], count: 1 }],
  ['browser_vision', { question: 'What is it?' }, { success: true, analysis: 'An answer.', screenshot_path: some }],
  ['browser_console', {}, { success: true, console_messages: [], js_errors: [], total_messages: 0, total_errors: 0 }],
  ['browser_console', { expression: '6 * 7' }, { success: true, result: '42', result_type: 'number' }],
  ['browser_cdp', { method: 'Runtime.evaluate', params: { expression: '6*7' } }, { success: true, method: 'Runtime.evaluate', result: { result: { value: 42 } } }],
  ['browser_click', (results) => ({ ref: refOf(results, /button "Ask"/) }), { success: true, pending_dialogs: [{ type: 'confirm', message: 'Sure?' }] }],
  ['browser_dialog', { action: 'accept' }, { success: true, action: 'accept', dialog: { type: 'confirm', message: 'Sure?' } }],
  ['browser_click', (results) => ({ ref: refOf(results, /link "Next"/) }), { success: true, clicked: some }],
  ['browser_back', {}, { success: true, url: expect.stringMatching(/\/page$/) as string }],
  ['browser_snapshot', { full: true }, { success: true, snapshot: some, element_count: number }],
];

describe('the classic tools', () => {
  let world: EveryTool;
  let sessionId: SessionId;
  beforeAll(async () => {
    world = await openEveryTool();
    sessionId = (await world.bench.session()).id;
  });
  afterAll(() => world.close());

  function filled(args: Args): Args {
    return JSON.parse(JSON.stringify(args).replaceAll(ORIGIN, world.site.origin)) as Args; // the same JSON with another address
  }

  async function run(steps: readonly Step[]): Promise<void> {
    const results = new Map<string, Result>();
    for (const [tool, args, fields] of steps) {
      const { fullText } = await world.bench.host.callTool(tool, filled(typeof args === 'function' ? args(results) : args), { sessionId, signal: AbortSignal.timeout(60_000) });
      const result = JSON.parse(fullText) as Result;
      expect({ tool, result }).toMatchObject({ tool, result: fields });
      results.set(tool, result);
    }
  }

  /** What only a person can settle: a question, a paid run. Resolves when the work is done and everything was settled. */
  async function withPerson(work: () => Promise<void>): Promise<void> {
    const { bench } = world;
    const settled = new Map<string, Promise<unknown>>();
    const once = (id: string, settle: () => Promise<unknown>): void => { if (!settled.has(id)) settled.set(id, settle()); };
    const leave = [
      bench.host.events.subscribe('chat', (event) => { if (event.type === 'question-asked') once(event.question.callId, () => bench.request('chat.answer', { callId: event.question.callId, answer: 'blue' })); }),
      bench.host.events.subscribe('approvals', ({ request: { id, state } }) => { if (!['approved', 'denied', 'expired', 'cancelled'].includes(state)) once(id, () => bench.request('approvals.decide', { id, choice: 'once' })); }),
    ];
    try {
      await work();
    } finally {
      for (const off of leave) off();
      await Promise.all(settled.values());
    }
  }

  test.each(Object.entries(FAMILIES))('%s: each answers with the documented fields', async (_family, steps) => withPerson(() => run(steps)));

  test.skipIf(!CHROMIUM)(`browser: each answers with the documented fields${CHROMIUM ? '' : ' (Chromium is not installed: apt-get install chromium)'}`, { timeout: 90_000 }, () => run(BROWSER));

  test('the tests above run every tool of the table, and nothing else', () => {
    const run = Object.fromEntries(Object.entries({ ...FAMILIES, browser: BROWSER }).map(([family, steps]) => [family, [...new Set(steps.map(([tool]) => tool))].sort()]));
    expect(run).toEqual(Object.fromEntries(Object.entries(CLASSIC_TOOLS).map(([family, names]) => [family, names.toSorted()])));
  });
});
