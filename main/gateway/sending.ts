/** Messages that nobody asked for in that conversation: `send_message`, and results of scheduled work (hermes-runtime 7.6, 7.7). */
import { randomUUID } from 'node:crypto';
import { PlatformName, PLATFORM_NAMES } from '../../preload/contract/gateway.ts';
import type { HomePaths } from '../../tools/context.ts';
import type { MessageService, SentMessage } from '../../tools/shared/message-service.ts';
import type { Agent } from '../agent/agent.ts';
import { isOwnedElsewhere } from '../agent/owner.ts';
import type { Storage } from '../ports.ts';
import type { ChatPlace } from '../storage/gateway.ts';
import type { Connections } from './connections.ts';
import { fileRefusal } from './files.ts';
import { sendPiece, type Piece, type Sent } from './once.ts';
import { pause, PlatformError, type Platform } from './platform.ts';
import { splitText, takeFiles } from './text.ts';

const TRIES = 3;
/** A tool call should not wait for longer. */
const MAX_PAUSE_MS = 20_000;
const ID_SHAPES: Readonly<Record<PlatformName, RegExp>> = {
  telegram: /^(?:-?\d+|@[A-Za-z]\w{3,})$/, discord: /^\d{5,25}$/, slack: /^[CDGUW][A-Z0-9]{5,}$/, email: /^[^\s@]+@[^\s@]+$/, webhook: /^[\w.-]{1,100}$/,
};

export interface SendingParts {
  readonly agent: Pick<Agent, 'runner'>;
  readonly connections: Pick<Connections, 'sender' | 'settings'>;
  readonly paths: HomePaths;
  readonly signal: AbortSignal;
  readonly storage: Pick<Storage, 'gateway' | 'messages' | 'sessions' | 'values'>;
  readonly redact: (text: string) => string;
  readonly now: () => number;
  /** Something is in the outbox. */
  onOut(): void;
}

export interface Sending extends MessageService {
  /** Puts the result of a scheduled run into the outbox: what comes of it is told at the run. `all` is every home channel. Throws an Error with words. */
  sendOut(target: string, text: string, runId: number): void;
}

export function createSending({ agent, connections, paths, signal, storage, redact, now, onOut }: SendingParts): Sending {
  const configured = (): PlatformName[] => PLATFORM_NAMES.filter((name) => connections.settings(name).missing === undefined);

  function targets(): { target: string; title: string }[] {
    const homes = configured().flatMap((name) => {
      const home = connections.settings(name).homeChannel;
      return home === undefined ? [] : [{ target: name, title: `home channel (${home})` }];
    });
    const known = storage.gateway.chats().filter(({ platform }) => configured().includes(platform));
    return [...homes, ...known.map(({ platform, chat, thread, title }) => ({ target: [platform, chat, thread].filter((part) => part !== '').join(':'), title }))];
  }

  function find(target: string): { place: ChatPlace; platform: Platform; note?: string } {
    const [first = '', ...rest] = target.split(':');
    const name = PlatformName.safeParse(first.trim().toLowerCase());
    if (!name.success) throw new Error(`There is no messenger '${first}'. Known: ${PLATFORM_NAMES.join(', ')}.`);
    const settings = connections.settings(name.data);
    const platform = connections.sender(name.data);
    if (platform === undefined) throw new Error(`${name.data} is not configured. ${settings.missing?.words ?? ''}`.trim());
    if (rest.length === 0 || rest.join('').trim() === '') {
      if (settings.homeChannel === undefined) throw new Error(`${name.data} has no home channel: name a chat (${name.data}:<chat>), or ask the person to set gateway.${name.data}.home_channel in config.yaml.`);
      const [chat = '', thread = ''] = settings.homeChannel.split(':');
      return { platform, place: { platform: name.data, chat, thread }, note: 'Sent to the home channel.' };
    }
    const whole = rest.join(':').trim();
    const titled = storage.gateway.chats().filter((each) => each.platform === name.data && each.title.toLowerCase() === whole.replace(/^[#@]/, '').toLowerCase());
    const [only] = titled;
    if (only !== undefined && titled.length === 1) return { platform, place: only };
    const [chat = '', ...thread] = rest.map((part) => part.trim());
    if (titled.length > 1 || !ID_SHAPES[name.data].test(chat)) {
      const others = targets().filter((each) => each.target.startsWith(`${name.data}:`)).map((each) => `${each.target} (${each.title})`);
      throw new Error(`'${whole}' is ${titled.length > 1 ? 'the name of several chats' : 'no chat'} of ${name.data}. ${others.length === 0 ? 'Give its id.' : `Known: ${others.join(', ')}.`}`);
    }
    return { platform, place: { platform: name.data, chat, thread: thread.join(':') } };
  }

  /** Tries again as long as that cannot make the message twice. */
  async function insist(send: (triedAt: number | null) => Promise<Sent>): Promise<string> {
    let triedAt: number | null = null;
    for (let tries = 1; ; tries += 1) {
      try {
        const sent = await send(triedAt);
        if (sent.kind === 'sent') return sent.id;
        throw new Error('The connection ended while the message was sent: it may or may not have arrived. Ask there before sending it again.');
      } catch (error) {
        const known = error instanceof PlatformError ? error : undefined;
        if (known?.unsure === true) triedAt ??= now();
        if (known?.retryMs === undefined || known.retryMs > MAX_PAUSE_MS || tries === TRIES) throw new Error(redact(error instanceof Error ? error.message : String(error)), { cause: error });
        await pause(known.retryMs, signal);
      }
    }
  }

  /** The agent that serves that chat should know what was said there. */
  function mirror(place: ChatPlace, message: string, from: string | undefined): boolean {
    const chat = storage.gateway.chat(place);
    const session = chat && storage.sessions.get(chat.sessionId);
    if (session === undefined || session.id === from || session.deletedAt !== null || isOwnedElsewhere(storage.values, session.id)) return false;
    agent.runner(session.id).chat.addNotice('notice/message', `Sent into this conversation from another chat: ${message}`, storage.messages.lastTurn(session.id));
    return true;
  }

  async function send(target: string, message: string, from?: string): Promise<SentMessage> {
    const { place, platform, note } = find(target);
    const { text, files } = takeFiles(message);
    for (const { path } of files) {
      const refusal = await fileRefusal(path, paths);
      if (refusal !== undefined) throw new Error(`Nothing was sent: ${refusal}.`);
    }
    let id = '';
    const pieces: Piece[] = [...splitText(text, platform.limit).map((piece) => ({ text: piece })), ...files.map((file) => ({ file }))];
    for (const piece of pieces) {
      const key = randomUUID();
      id = await insist((triedAt) => sendPiece(platform, place, piece, { key }, triedAt));
    }
    const mirrored = mirror(place, message, from);
    return { platform: place.platform, chat_id: place.chat, ...(id !== '' && { message_id: id }), ...(note !== undefined && { note }), ...(mirrored && { mirrored: true as const }) };
  }

  return {
    send, targets,
    sendOut(target, text, runId) {
      const homes = configured().filter((name) => connections.settings(name).homeChannel !== undefined);
      if (target === 'all' && homes.length === 0) throw new Error('no messenger with a home channel is set up');
      for (const each of target === 'all' ? homes : [target]) {
        const { place } = find(each);
        storage.gateway.putOut(place, text, now(), { runId });
        mirror(place, text, undefined);
      }
      onOut();
    },
  };
}
