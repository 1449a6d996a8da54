/** Approvals in a messenger: the whole command in words, buttons, and what became of it. */
import { ApprovalId, type SessionId } from '../../preload/contract/ids.ts';
import type { Gateway, GatewayEntry } from '../approvals/gateway.ts';
import type { Log, Storage } from '../ports.ts';
import { pause, PlatformError, type Button, type Platform, type Pressed, type Target } from './platform.ts';
import { splitText } from './text.ts';

const TRIES = 4;
const MAX_PAUSE_MS = 30_000;
const CHOICES = { once: 'Allowed once', session: 'Allowed for this chat', always: 'Allowed for good', deny: 'Denied' } as const;
type Choice = keyof typeof CHOICES;

export interface AskingParts {
  readonly gateway: Gateway;
  readonly log: Log;
  readonly storage: Pick<Storage, 'gateway' | 'values'>;
  readonly signal: AbortSignal;
  platform(name: Platform['name']): Platform | undefined;
}

export interface Asking {
  /** From now on questions of that chat come to its messenger, those that are open already included. */
  serve(sessionId: SessionId): void;
  /** Words for whoever pressed a button. */
  pressed(press: Pressed, platform: Platform['name']): Promise<string>;
}

const keyOf = (id: ApprovalId): string => `gateway:asked:${id}`;

function wordsOf(entry: GatewayEntry): string {
  const id = entry.request_id;
  const wider = [entry.allow_session ? 'session' : '', entry.allow_permanent ? 'always' : ''].filter((word) => word !== '').join('|');
  return `🔐 The agent wants to run:\n\n${entry.command}\n\nWhy this is asked: ${entry.description}\n\n/approve ${id}${wider === '' ? '' : ` [${wider}]`}\n/deny ${id} [reason]`;
}

function buttonsOf(entry: GatewayEntry): Button[] {
  const choices: Choice[] = ['once', ...(entry.allow_session ? ['session' as const] : []), ...(entry.allow_permanent ? ['always' as const] : []), 'deny'];
  const labels = { once: 'Allow once', session: 'Allow in this chat', always: 'Always allow', deny: 'Deny' };
  return choices.map((choice) => ({ label: labels[choice], data: `${choice}:${entry.request_id}` }));
}

export function createAsking({ gateway, log, storage, signal, platform: platformOf }: AskingParts): Asking {
  /** Never ended before the process: that would count as nobody's being there, and refuse what waits. */
  const served = new Set<SessionId>();

  async function insist<T>(send: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await send();
      } catch (error) {
        if (!(error instanceof PlatformError) || error.retryMs === undefined || tries === TRIES) throw error;
        await pause(Math.min(error.retryMs, MAX_PAUSE_MS), signal);
      }
    }
  }

  async function notify(sessionId: SessionId, entry: GatewayEntry): Promise<void> {
    const chat = storage.gateway.chatOf(sessionId);
    const platform = chat && platformOf(chat.platform);
    if (chat === undefined || platform === undefined) throw new Error('the messenger of this chat is not connected');
    const pieces = splitText(wordsOf(entry), platform.limit);
    let messageId = '';
    for (const [at, piece] of pieces.entries()) messageId = await insist(() => platform.sendText(chat, piece, { key: `${entry.request_id}-${String(at)}`, buttons: at === pieces.length - 1 ? buttonsOf(entry) : undefined }));
    storage.values.set(keyOf(entry.request_id), JSON.stringify([chat.platform, chat.chat, chat.thread, messageId]));
  }

  async function settled(entry: GatewayEntry, choice: string): Promise<void> {
    const kept = storage.values.get(keyOf(entry.request_id));
    if (kept === undefined) return;
    storage.values.set(keyOf(entry.request_id), undefined);
    const [name, chat, thread, messageId] = JSON.parse(kept) as [Platform['name'], string, string, string]; // written above
    const words = choice in CHOICES ? CHOICES[choice as Choice] : choice === 'timeout' ? 'Nobody answered in time: not run' : 'Not open any more';
    const to: Target = { chat, thread };
    await platformOf(name)?.settle?.(to, messageId, `${words}: ${entry.command}`.slice(0, 1_000));
  }

  return {
    serve(sessionId) {
      if (served.has(sessionId)) return;
      served.add(sessionId);
      gateway.register(sessionId, {
        notify: (entry) => notify(sessionId, entry), settled,
        stillWaiting: async () => {
          const chat = storage.gateway.chatOf(sessionId);
          if (chat !== undefined) await platformOf(chat.platform)?.typing?.(chat);
        },
      });
      for (const entry of gateway.pending(sessionId)) {
        if (storage.values.get(keyOf(entry.request_id)) === undefined) void notify(sessionId, entry).catch((error: unknown) => log.warn('an open question could not be brought to its messenger', { error }));
      }
    },
    async pressed(press, platform) {
      const [choice = '', id, ...more] = press.data.split(':');
      const named = ApprovalId.safeParse(id);
      const chat = storage.gateway.chat({ platform, chat: press.chat, thread: press.thread });
      if (chat === undefined || !named.success || more.length > 0 || !Object.hasOwn(CHOICES, choice)) return 'This button is not known any more.';
      const resolved = await gateway.resolve(chat.sessionId, choice as Choice, { requestId: named.data, by: `${platform}:${press.sender.name}` }); // one of CHOICES, looked at above
      return resolved === 1 ? `${CHOICES[choice as Choice]}.` : 'That was answered already, or ran out of time.';
    },
  };
}
