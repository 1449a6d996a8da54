/** How a plugin is tested without the app: `node --test`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { register } from './index.mjs';

function load(settings = {}) {
  const tools = new Map();
  const hooks = new Map();
  const commands = new Map();
  register({
    helpers: { toolResult: JSON.stringify, toolError: (error) => JSON.stringify({ error }) },
    registerTool: (tool) => tools.set(tool.name, tool),
    registerHook: (name, callback) => hooks.set(name, callback),
    registerCommand: (name, run) => commands.set(name, run),
    settings: { get: (key) => settings[key] },
  });
  return { tools, hooks, commands };
}

test('words are counted, whatever stands between them', () => {
  const { tools } = load();
  assert.equal(tools.get('word_count').handler({ text: ' one\ttwo\n three ' }), '{"words":3}');
});

test('a command with the forbidden word is blocked, others are not', () => {
  const ask = load({ forbidden_word: 'reboot' }).hooks.get('pre_tool_call');
  assert.equal(ask({ tool_name: 'terminal', args: { command: 'sudo reboot' } }).action, 'block');
  assert.equal(ask({ tool_name: 'terminal', args: { command: 'ls' } }), null);
});

test('/words counts what stands behind it', () => {
  assert.equal(load().commands.get('words')('a b'), '2 words');
});
