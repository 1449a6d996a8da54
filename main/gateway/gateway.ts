/** Messengers: joins what comes in, what goes out, who may speak and what is asked, and answers the contract and the tools. */
import { join } from 'node:path';
import { AppError } from '../../preload/contract/errors.ts';
import type { ChatEvent } from '../../preload/contract/events.ts';
import type { MessengerState, PlatformName } from '../../preload/contract/gateway.ts';
import type { SessionId } from '../../preload/contract/ids.ts';
import { MESSENGERS, NEEDED_VARIABLES } from '../../tools/shared/messengers.ts';
import type { Agent } from '../agent/agent.ts';
import type { Gateway as ApprovalGateway } from '../approvals/gateway.ts';
import type { AreaHandlers } from '../host/handlers.ts';
import type { HomePaths } from '../../tools/context.ts';
import { isSecretVariable } from '../credentials/known-secrets.ts';
import type { StoredKeys } from '../credentials/stored-keys.ts';
import type { Clock, ConfigStore, EventBus, Log, Storage } from '../ports.ts';
import { createAsking } from './asking.ts';
import { createChats, type ChatsParts } from './chats.ts';
import { createConnections } from './connections.ts';
import { createDelivery } from './delivery.ts';
import { keepLong } from './files.ts';
import { createPairing } from './pairing.ts';
import type { Platform } from './platform.ts';
import { createQuestions } from './questions.ts';
import { resumeChat } from './resume.ts';
import { createRouter, type RouterParts } from './router.ts';
import { createSending, type Sending } from './sending.ts';

/** Whether the process that served died, and what others put into the outbox, is looked at this often. */
const LOOK_EVERY_MS = 30_000;
/** Messengers show "is writing" for five seconds or so. */
const TYPING_EVERY_MS = 4_000;

export interface GatewayParts extends Pick<ChatsParts, 'toolsets' | 'resolve' | 'createSession'> {
  readonly agent: Agent;
  readonly approvals: ApprovalGateway;
  readonly hooks: RouterParts['hooks'];
  /** Keys of messengers that a person entered. */
  readonly stored: StoredKeys;
  /** Of this process. */
  readonly shell: string;
  readonly clock: Clock;
  readonly config: ConfigStore;
  readonly events: EventBus;
  readonly log: Log;
  readonly paths: HomePaths;
  readonly redact: (text: string) => string;
  readonly storage: Storage;
}

export interface Gateway {
  readonly requests: AreaHandlers<'gateway'>;
  readonly messages: Sending;
  /** People can be asked through a messenger. */
  readonly serving: boolean;
  /** Serves what is set up, now or as soon as no other process of the home does. */
  start(): void;
  close(): Promise<void>;
}

export function createGateway(parts: GatewayParts): Gateway {
  const { agent, clock, config, events, log, paths, redact, storage } = parts;
  const ending = new AbortController();
  const changed = (): void => events.publish('gateway', { type: 'changed' });
  const pairing = createPairing(paths.home, () => clock.now());
  const chats = createChats({ config, storage, toolsets: parts.toolsets, resolve: parts.resolve, createSession: parts.createSession });
  const served = (name: PlatformName): Platform | undefined => (connections.serving ? connections.sender(name) : undefined);
  const delivery = createDelivery({ clock, log, paths, storage, redact, platform: served });
  const asking = createAsking({ gateway: parts.approvals, log, storage, signal: ending.signal, platform: served });
  const inbox = join(paths.cache, 'messengers');
  const questions = createQuestions({ agent });
  const router = createRouter({
    questions, agent, hooks: parts.hooks, approvals: parts.approvals, chats, clock, delivery, log, pairing, storage, configured: (name) => connections.settings(name).allowed, platform: served,
    onChat: (sessionId) => asking.serve(sessionId), onPeople: changed, keep: (text) => keepLong(inbox, text), onWorking: (sessionId) => { showTyping(sessionId); },
  });
  const connections = createConnections({
    clock, config, log, storage, redact, shell: parts.shell, inbox, onChange: changed, onConnected: () => delivery.flush(),
    events: (platform) => ({
      message: (message) => router.receive(message, platform),
      isKnown: (sender) => router.isAllowed(platform.name, sender),
      people: () => router.people(platform.name),
      async pressed(press) {
        if (!(await router.isAllowed(platform.name, press.sender.id))) return 'You are not let in.';
        const place = { platform: platform.name, chat: press.chat, thread: press.thread };
        const chat = storage.gateway.chat(place);
        return (chat && questions.pressed(chat.sessionId, press.data, (text, buttons) => { delivery.say(place, text, buttons); })) ?? asking.pressed(press, platform.name);
      },
    }),
  });
  const sending = createSending({ agent, connections, paths, signal: ending.signal, storage, redact, now: () => clock.now(), onOut: () => { sendNow(); } });
  let lending: Promise<void> | undefined;
  let cancelLook: (() => void) | undefined;
  let wanted = false;

  function showTyping(sessionId: SessionId): void {
    if (!connections.serving || !agent.isRunning(sessionId)) return;
    const chat = storage.gateway.chatOf(sessionId);
    const platform = chat && served(chat.platform);
    if (chat === undefined || platform?.typing === undefined) return;
    platform.typing(chat).catch((error: unknown) => log.debug('the sign of writing could not be shown', { error }));
    clock.after(TYPING_EVERY_MS, () => { if (!ending.signal.aborted) showTyping(sessionId); });
  }

  function onChat(event: ChatEvent): void {
    if (event.type === 'turn-ended') delivery.finished(event.sessionId);
    else if (event.type === 'message-added' && event.message.error?.code === 'notice/schedule' && !agent.isRunning(event.sessionId)) delivery.finished(event.sessionId);
    else if (event.type === 'question-asked') {
      const chat = storage.gateway.chatOf(event.sessionId);
      const prompt = chat && questions.promptOf(event.question);
      if (chat !== undefined && prompt !== undefined) delivery.say(chat, prompt.text, prompt.buttons);
    }
  }

  function begin(): void {
    for (const chat of storage.gateway.chats()) {
      asking.serve(chat.sessionId);
      delivery.finished(chat.sessionId);
      try {
        if (resumeChat(chat.sessionId, agent, storage) === 'gave-up') delivery.say(chat, '⚠️ The app was closed several times while your last message was worked on. Send it again to try once more.');
      } catch (error) {
        log.warn('a chat of a messenger could not be gone on with', { sessionId: chat.sessionId, error });
      }
    }
    router.resume();
    connections.refresh();
    delivery.flush();
  }

  /** A command that is over soon sends what it put out itself, when nobody else serves; without listening. */
  function sendNow(): void {
    if (connections.serving) return delivery.flush();
    if (lending !== undefined || ending.signal.aborted || !connections.serve()) return;
    delivery.flush();
    lending = delivery.idle().finally(() => {
      connections.release();
      lending = undefined;
    });
  }

  function look(): void {
    cancelLook = clock.after(LOOK_EVERY_MS, look);
    if (lending !== undefined) return;
    if (connections.serving) delivery.flush();
    else if (wanted && MESSENGERS.some((name) => connections.settings(name).missing === undefined) && connections.serve()) begin();
  }

  const offs = [
    events.subscribe('chat', onChat),
    config.onChange(() => { if (connections.serving) connections.refresh(); else if (wanted && cancelLook !== undefined) { cancelLook(); look(); } changed(); }),
  ];

  function holderWords(): string {
    const holder = connections.holder();
    if (holder === undefined) return 'it has just ended';
    return `${holder.shell === 'cli' ? 'talaria on a command line' : 'the app'}, process ${String(holder.pid)}, since ${new Date(holder.since).toLocaleTimeString()}`;
  }

  async function states(): Promise<MessengerState[]> {
    return Promise.all(MESSENGERS.map(async (name): Promise<MessengerState> => {
      const settings = connections.settings(name);
      const people = await pairing.read(name);
      const open = people.code !== null && people.code.expiresAt > clock.now() ? { code: people.code.code, expiresAt: people.code.expiresAt } : null;
      const byConfig = settings.allowed.filter((id) => !people.allowed.some((each) => each.id === id));
      return {
        name, ...connections.state(name), homeChannel: settings.homeChannel ?? null, pairing: open,
        allowed: [...byConfig.map((id) => ({ id, name: '', since: 0, by: 'config' as const })), ...people.allowed],
        keys: NEEDED_VARIABLES[name].map((variable) => ({ variable, secret: isSecretVariable(variable), source: sourceOf(variable) })),
        refused: people.refused.map(({ id, name: who, at }) => ({ id, name: who, at })),
      };
    }));
  }
  /** The environment wins, so that what is kept is not what counts when both are there. */
  function sourceOf(variable: string): 'environment' | 'stored' | null {
    const value = config.env(variable)?.trim() ?? '';
    if (value === '') return null;
    return value === parts.stored.get(variable) ? 'stored' : 'environment';
  }
  const after = async (work: Promise<unknown>): Promise<MessengerState[]> => {
    await work;
    changed();
    return states();
  };

  return {
    messages: sending,
    get serving() { return connections.serving; },
    requests: {
      'gateway.state': () => states(),
      'gateway.start': async () => {
        await lending;
        if (!MESSENGERS.some((name) => connections.settings(name).missing === undefined)) {
          throw new AppError('request/not-possible', 'No messenger is set up.', { hint: 'Put TELEGRAM_BOT_TOKEN=… (or the variables of another messenger) into the .env of the home; talaria gateway status lists them.' });
        }
        if (!connections.serving) {
          if (!connections.serve()) throw new AppError('request/not-possible', `Another Talaria process of this home serves the messengers already (${holderWords()}).`, { hint: 'End it first, or leave it to it.' });
          wanted = true;
          begin();
          if (cancelLook === undefined) look();
        }
        return states();
      },
      'gateway.holder': () => connections.holder() ?? null,
      'gateway.setKey': async ({ variable, value }) => {
        if (!MESSENGERS.some((name) => NEEDED_VARIABLES[name].includes(variable))) throw new AppError('request/invalid', `${variable} is not a key of a messenger.`);
        if (/[\r\n]/.test(value)) throw new AppError('request/invalid', 'A key is one line.', { hint: 'Copy it again, without the lines around it.' });
        await parts.stored.set(variable, value === '' ? undefined : value);
        return states();
      },
      'gateway.pair': ({ platform }) => after(pairing.newCode(platform)),
      'gateway.allow': ({ platform, sender, name }) => after(pairing.allow(platform, { id: sender, name: name ?? '' }, 'hand')),
      'gateway.revoke': async ({ platform, sender }) => {
        if (!(await pairing.revoke(platform, sender))) {
          const byConfig = connections.settings(platform).allowed.includes(sender);
          throw new AppError('not-found', `Nobody with the id '${sender}' was let in on ${platform}.`, { hint: byConfig ? `The settings name them: change gateway.${platform}.allowed_users or ${platform.toUpperCase()}_ALLOWED_USERS.` : 'talaria gateway status lists who was.' });
        }
        changed();
        return states();
      },
    },
    start() {
      wanted = true;
      look();
    },
    async close() {
      wanted = false;
      cancelLook?.();
      for (const off of offs) off();
      await lending;
      ending.abort();
      await connections.close();
      await router.idle();
      await delivery.close();
    },
  };
}
