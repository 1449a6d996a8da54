/** What the agent is built from. `host.ts` hands these over; nothing in `main/agent/` reaches for anything else. */
import type { Session, Settings } from '../../preload/contract/index.ts';
import type { AttachmentId, SessionId } from '../../preload/contract/ids.ts';
import type { ModelClient } from '../models/types.ts';
import type { Calls, Clock, EventBus, Ids, Log, MakeToolContext, Storage, Terminals, TodoStore, Toolsets } from '../ports.ts';
import type { HookBus } from '../calls/hooks.ts';
import type { ToolUse } from '../calls/tool-use.ts';
import type { PluginCommands } from '../plugins/commands.ts';
import type { Vision } from '../models/vision.ts';
import type { Bringer } from './attached.ts';
import type { Questions } from './questions.ts';
import type { FindNamedSkill } from './named-skills.ts';
import type { OfferedSkill } from './skills-prompt.ts';

export interface AgentParts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly events: EventBus;
  readonly storage: Storage;
  readonly calls: Calls;
  readonly makeContext: MakeToolContext;
  readonly toolsets: Pick<Toolsets, 'enabledFor'>;
  readonly terminals: Pick<Terminals, 'drainNotices' | 'onNotice' | 'stopForeground' | 'list'>;
  readonly questions: Questions;
  readonly todos: Pick<TodoStore, 'list'>;
  readonly settings: () => Settings;
  readonly home: string;
  /** What the system prompt names to a chat. Never rejects. */
  readonly skills: (sessionId: SessionId) => Promise<readonly OfferedSkill[]>;
  /** The skill that a message names (`/name words`). */
  readonly namedSkill?: FindNamedSkill;
  /** `/commands` that plugins have added. */
  readonly commands?: Pick<PluginCommands, 'find'>;
  /** What plugins hear of turns. */
  readonly hooks?: Pick<HookBus, 'has' | 'observe' | 'firstText' | 'collect'>;
  /** Told what the model does with tools; asked before it is offered any. */
  readonly toolUse?: Pick<ToolUse, 'refused' | 'called' | 'isOff'>;
  /** Files that a person gives along, and where a chat's tools find them. Absent: none are taken. */
  readonly attachments?: Bringer & { picture(id: AttachmentId): Promise<string | undefined> };
  readonly vision?: Vision;
  /** Picture of a tool for its card. */
  readonly emoji: (tool: string) => string;
  /** The model of a chat. Throws `model/none` with the reason when none is connected. */
  readonly connect: (session: Session) => Promise<ModelClient>;
  /** Words about the place commands run in, for the system prompt. */
  readonly place: (sessionId: SessionId) => { readonly cwd: string; readonly backend: string };
}
