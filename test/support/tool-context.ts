/** A tool context over a real local environment, for tests of tools that need no host. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../environments/base.ts';
import { LocalMachine, createLocalEnvironment } from '../../environments/local.ts';
import type { JsonValue, ReviewOutcome, ReviewRequest, ToolContext } from '../../tools/context.ts';
import type { BrowserService } from '../../tools/shared/browser.ts';
import type { ModelService } from '../../tools/shared/model-service.ts';

export interface ToolBench {
  readonly folder: string;
  readonly environment: Environment;
  /** Every request that reached the approval service, and what it answers next. */
  readonly reviews: ReviewRequest[];
  answer: Partial<ReviewOutcome>;
  readonly config: Map<string, JsonValue>;
  readonly variables: Map<string, string>;
  /** Asked by tools that need a model; absent = none can be asked. */
  models?: ModelService;
  browser?: BrowserService;
  context(overrides?: Partial<ToolContext>): ToolContext;
  close(): Promise<void>;
}

function absent(service: string): never {
  throw new Error(`this test did not expect the service '${service}'`);
}

export async function openToolBench(): Promise<ToolBench> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'talaria-tools-')));
  const machine = new LocalMachine({ env: { ...process.env, HOME: folder } });
  const environment = createLocalEnvironment(machine, { cwd: folder });
  await environment.open();
  const controller = new AbortController();
  const bench: ToolBench = {
    folder, environment, reviews: [], answer: { approved: true }, config: new Map(), variables: new Map(),
    context: (overrides = {}) => ({
      sessionId: `ses_${folder}`, taskId: 'default', toolCallId: 'call_test', signal: controller.signal, cwd: folder, emit: () => undefined,
      services: {
        approvals: {
          review: (request) => {
            bench.reviews.push(request);
            return Promise.resolve({ approved: true, message: null, command: request.command, ...bench.answer });
          },
          recordExit: () => undefined,
        },
        files: { environment: () => Promise.resolve(environment) },
        config: { get: (path) => bench.config.get(path), env: (name) => bench.variables.get(name) },
        paths: { home: join(folder, '.hermes'), cache: join(folder, '.hermes/cache'), outputs: join(folder, '.hermes/desktop/outputs') },
        redact: (text) => text.replaceAll('sk-secretsecretsecretsecret', '[hidden]'),
        log: () => undefined,
        ...(bench.models !== undefined && { models: bench.models }),
        ...(bench.browser !== undefined && { browser: bench.browser }),
        get terminals() { return absent('terminals'); },
        get history() { return absent('history'); },
        get todos() { return absent('todos'); },
        get questions() { return absent('questions'); },
      },
      ...overrides,
    }),
    close: async () => {
      controller.abort();
      await environment.close();
      await machine.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return bench;
}
