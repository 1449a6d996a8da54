/** What a script asks for over its line to the runtime: which tools, how many calls, in which form. Speaks no transport. */
import { SANDBOX_TOOLS, type ScriptTool } from './languages.ts';
import type { JsonObject, JsonValue, ToolContext } from '../context.ts';
import { describeThrown, toolError } from '../result.ts';

/** Of the terminal tool: a script waits for each command, so nothing may outlive its call (hermes-runtime 7.2). */
const NOT_IN_SCRIPTS = ['background', 'pty', 'notify_on_complete', 'watch_patterns'];
const MAX_REQUEST_CHARS = 20 * 1024 * 1024;

export interface ScriptLine {
  /** Answers one request, JSON in text. Never rejects. */
  answer(request: string): Promise<string>;
  /** Calls that were let through. */
  readonly made: number;
}

export interface ScriptLineOptions {
  readonly tools: readonly ScriptTool[];
  readonly token: string;
  readonly maxCalls: number;
  readonly context: ToolContext;
  /** Stops every call of the script. */
  readonly signal: AbortSignal;
  /** Told while a call of the script waits for a person. */
  onWaiting(waiting: boolean): void;
}

export function openScriptLine({ tools, token, maxCalls, context, signal, onWaiting }: ScriptLineOptions): ScriptLine {
  let made = 0;

  async function answer(text: string): Promise<string> {
    const request = parse(text);
    if (request === undefined || request['token'] !== token) return toolError('This request is not one of the script that runs now.');
    const { tool, args, raw } = request;
    const name = SANDBOX_TOOLS.find((known) => known === tool);
    if (name === undefined || !tools.includes(name)) return toolError(`Scripts cannot call '${typeof tool === 'string' ? tool : ''}' here. Available: ${tools.join(', ') || 'none'}.`);
    if (!isObject(args)) return toolError(`The arguments of ${name} are not named values.`);
    if (name === 'terminal') {
      const refused = NOT_IN_SCRIPTS.find((field) => args[field] !== undefined && args[field] !== null && args[field] !== false);
      if (refused !== undefined) return toolError(`terminal(${refused}=…) is not possible in scripts: commands run in the foreground here. Use the terminal tool itself.`);
    }
    if (made >= maxCalls) return toolError(`Tool call limit reached (${String(maxCalls)}). No more tool calls are possible in this script: print what you have.`);
    made += 1;
    const result = await callTool(name, args);
    return raw === true && name === 'read_file' ? withoutNumbers(result) : result;
  }

  async function callTool(name: ScriptTool, args: JsonObject): Promise<string> {
    const { nested } = context.services;
    if (nested === undefined) return toolError('Tools cannot be called from a script in this execution context.');
    let waiting = false;
    const wait = (now: boolean): void => {
      if (now !== waiting) onWaiting(now);
      waiting = now;
    };
    try {
      return await nested.call(name, args, context, {
        signal, emit: (event) => {
          if (event.kind !== 'approval') return;
          wait(event.state === 'waiting');
          context.emit(event);
        },
      });
    } catch (error) {
      return toolError(describeThrown(error));
    } finally {
      wait(false);
    }
  }

  return { answer, get made() { return made; } };
}

function parse(text: string): Record<string, JsonValue> | undefined {
  if (text.length > MAX_REQUEST_CHARS) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { ...value } : undefined;
  } catch {
    return undefined; // not a request of the module this script was given
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `content` of a read_file result without its `N|` marks; its last line ends as in the file. */
function withoutNumbers(result: string): string {
  const value = parse(result);
  if (value === undefined || typeof value['content'] !== 'string') return result;
  const text = value['content'].replace(/^\d+\|/gm, '');
  return JSON.stringify({ ...value, content: value['ends_with_newline'] === true && value['content'] !== '' ? `${text}\n` : text });
}
