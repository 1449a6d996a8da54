/** Builds what one call of a tool is given: the narrow services, bound to its chat. */
import type { ApprovalService, DelegationService, FileService, HomePaths, NestedCallService, ToolContext, ToolServices } from '../../tools/context.ts';
import type { ModelService } from '../../tools/shared/model-service.ts';
import type { MessageService } from '../../tools/shared/message-service.ts';
import type { ScheduleService } from '../../tools/shared/schedule-service.ts';
import type { BrowserService } from '../../tools/shared/browser.ts';
import type { Questions } from '../agent/questions.ts';
import type { Checkpoints, ConfigStore, Log, MakeToolContext, Storage, TodoStore } from '../ports.ts';
import type { SessionPlaces } from './places.ts';
import { platformOf } from './platform.ts';

/** The model's reason beside a request is a quote, not a document. */
const WANTS_CHARS = 600;

export interface ContextParts {
  readonly approvals: ApprovalService;
  readonly checkpoints: Checkpoints;
  readonly config: ConfigStore;
  readonly files: FileService;
  readonly log: Log;
  readonly paths: HomePaths;
  readonly questions: Questions;
  readonly redact: ToolServices['redact'];
  readonly storage: Pick<Storage, 'calls' | 'messages' | 'history' | 'gateway' | 'values'>;
  readonly places: SessionPlaces;
  readonly todos: TodoStore;
  readonly delegation: DelegationService;
  readonly models: ModelService;
  readonly nested: NestedCallService;
  readonly messages: MessageService;
  readonly schedules: ScheduleService;
  readonly browser: BrowserService;
}

export function createContextMaker(parts: ContextParts): MakeToolContext {
  const { config, log, paths, storage } = parts;
  const homePaths: HomePaths = { home: paths.home, cache: paths.cache, outputs: paths.outputs };

  /** What the model wrote before it made the call. */
  function wantsOf(callId: string): string | undefined {
    const call = storage.calls.get(callId as Parameters<Storage['calls']['get']>[0]); // ids of calls come from the host itself
    const text = call && storage.messages.get(call.messageId)?.text.trim();
    return text === undefined || text === '' ? undefined : text.slice(-WANTS_CHARS);
  }

  const withReason: ApprovalService = {
    review: (request) => {
      const wants = request.wants ?? wantsOf(request.toolCallId);
      return parts.approvals.review(wants === undefined ? request : { ...request, wants });
    },
    recordExit: (approvalId, exitCode) => parts.approvals.recordExit(approvalId, exitCode),
  };
  const services: ToolServices = {
    approvals: withReason, browser: parts.browser, checkpoints: parts.checkpoints, config, files: parts.files, history: storage.history, paths: homePaths, questions: parts.questions,
    terminals: parts.places, todos: parts.todos, delegation: parts.delegation, models: parts.models, nested: parts.nested, messages: parts.messages, schedules: parts.schedules, redact: parts.redact,
    log: (level, message, details) => log[level](message, details),
  };

  return (call): ToolContext => {
    // A call of a chat acts in that chat's own place: its directory and its variables.
    const taskId = call.sessionId;
    parts.places.ensure(call.sessionId);
    return {
      sessionId: call.sessionId, taskId, toolCallId: call.callId, signal: call.signal,
      get cwd() {
        return parts.places.cwd(taskId);
      },
      get platform() {
        return platformOf(storage, call.sessionId);
      },
      services: call.approvals === undefined ? services : { ...services, approvals: call.approvals },
      emit: call.emit ?? (() => undefined),
      ...(call.enabledTools === undefined ? {} : { enabledTools: call.enabledTools }),
      ...(call.fromScript === true && { fromScript: true }),
      ...(call.userTask === undefined ? {} : { userTask: call.userTask }),
    };
  };
}
