/** The chat behind a conversation of a messenger, with the tools that its platform may use (hermes-runtime 2.2). */
import type { SessionId } from '../../preload/contract/ids.ts';
import type { Session } from '../../preload/contract/sessions.ts';
import type { NewSession } from '../host/sessions.ts';
import type { ConfigStore, Storage, Toolsets } from '../ports.ts';
import type { ChatPlace } from '../storage/gateway.ts';

export interface ChatsParts {
  readonly config: Pick<ConfigStore, 'get'>;
  readonly storage: Pick<Storage, 'gateway' | 'sessions' | 'messages'>;
  readonly toolsets: Pick<Toolsets, 'list'>;
  /** Tools behind toolset names, bundles included. */
  resolve(names: readonly string[]): readonly string[];
  createSession(wanted: NewSession): Promise<Session>;
}

export interface Chats {
  /** The present one, made when there is none (any more). `strict`: only what the preset names, whatever was switched on since. */
  open(place: ChatPlace, title: string, strict: boolean): Promise<SessionId>;
  /** A new one takes the place of the present one, which stays in the list of chats. */
  renew(place: ChatPlace, title: string, strict: boolean): Promise<SessionId>;
}

export function createChats({ config, storage, toolsets, resolve, createSession }: ChatsParts): Chats {
  /** `platform_toolsets.<platform>` of config.yaml, else the platform's preset. */
  function namesFor(platform: string): readonly string[] {
    const configured = config.get(`platform_toolsets.${platform}`);
    const names = Array.isArray(configured) ? configured.filter((name) => typeof name === 'string') : [];
    return names.length > 0 ? names : [`hermes-${platform}`];
  }

  async function applyPreset(sessionId: SessionId, platform: string, strict: boolean): Promise<void> {
    const names = namesFor(platform);
    const covered = new Set(resolve(names));
    const switches = (await toolsets.list(sessionId)).flatMap(({ name, tools, enabledByDefault }): [string, boolean][] => {
      if (names.includes(name)) return [[name, true]];
      const isCovered = tools.length > 0 && tools.every((tool) => covered.has(tool.name));
      const foreign = tools.length > 0 && tools.every((tool) => tool.owner !== undefined || tool.toolset?.startsWith('mcp-') === true);
      if (strict) return [[name, isCovered && !foreign && enabledByDefault]];
      return isCovered || foreign ? [] : [[name, false]];
    });
    storage.sessions.update(sessionId, { toolsets: Object.fromEntries(switches) });
  }

  async function renew(place: ChatPlace, title: string, strict: boolean): Promise<SessionId> {
    const session = await createSession({ origin: 'gateway', title: `${place.platform}: ${title}`.slice(0, 100) });
    await applyPreset(session.id, place.platform, strict);
    storage.gateway.putChat({ ...place, title, sessionId: session.id, deliveredSeq: 0 });
    return session.id;
  }

  return {
    renew,
    async open(place, title, strict) {
      const known = storage.gateway.chat(place);
      const session = known && storage.sessions.get(known.sessionId);
      if (known === undefined || session === undefined || session.deletedAt !== null) return renew(place, title, strict);
      if (known.title !== title) storage.gateway.putChat({ ...known, title });
      // What was added to the app since is nothing that strangers' data should reach.
      if (strict) await applyPreset(session.id, place.platform, true);
      return session.id;
    },
  };
}
