/** Middleware of plugins: changes the arguments before the hooks see them, or wraps the execution. */
import type { MultimodalResult } from '../../tools/registry.ts';
import type { ToolContext } from '../../tools/context.ts';
import { toolError } from '../../tools/result.ts';
import { isRecord, kindOf } from './schema-shape.ts';

export interface MiddlewareCall { readonly name: string; readonly args: Readonly<Record<string, unknown>>; readonly context: ToolContext }
/** Other arguments, or nothing to leave them. */
export type RequestMiddleware = (call: MiddlewareCall) => Record<string, unknown> | undefined | Promise<Record<string, unknown> | undefined>;
export type ToolAnswer = string | MultimodalResult;
export type ExecutionMiddleware = (call: MiddlewareCall, next: () => Promise<ToolAnswer>) => Promise<ToolAnswer>;

const isAnswer = (value: unknown): value is ToolAnswer => typeof value === 'string' || (isRecord(value) && value['_multimodal'] === true && Array.isArray(value['content']));

interface Named<T> { readonly owner: string; readonly run: T }

export class Middleware {
  readonly #request: Named<RequestMiddleware>[] = [];
  readonly #execution: Named<ExecutionMiddleware>[] = [];

  /** The returned function takes it away. */
  onRequest(run: RequestMiddleware, owner: string): () => void {
    return add(this.#request, { owner, run });
  }

  /** The first one added is the outermost. */
  onExecution(run: ExecutionMiddleware, owner: string): () => void {
    return add(this.#execution, { owner, run });
  }

  /** Rejects with what a middleware throws: arguments half rewritten must not run. */
  async rewrite(name: string, args: Record<string, unknown>, context: ToolContext): Promise<{ args: Record<string, unknown>; trace: readonly string[] }> {
    let current = args;
    const trace: string[] = [];
    for (const { owner, run } of this.#request) {
      const changed: unknown = await run({ name, args: current, context });
      if (changed === undefined || changed === null || changed === current) continue;
      if (!isRecord(changed)) throw new TypeError(`the request middleware of '${owner}' answered with ${kindOf(changed)} instead of arguments`);
      current = changed;
      trace.push(owner);
    }
    return { args: current, trace };
  }

  get rewrites(): boolean {
    return this.#request.length > 0;
  }

  execute(call: MiddlewareCall, dispatch: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
    return this.#execution.reduceRight<() => Promise<ToolAnswer>>((next, { run, owner }) => async () => {
      const answer: unknown = await run(call, next);
      return isAnswer(answer) ? answer : toolError(`The execution middleware of '${owner}' returned unsupported result type: ${kindOf(answer)}`, { error_type: 'tool_result_contract', tool: call.name, result_type: kindOf(answer) });
    }, dispatch)();
  }
}

function add<T>(list: Named<T>[], item: Named<T>): () => void {
  list.push(item);
  return () => {
    const index = list.indexOf(item);
    if (index >= 0) list.splice(index, 1);
  };
}
