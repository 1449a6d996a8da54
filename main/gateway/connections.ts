/** The messengers that are set up: made from the settings, kept connected while this process serves them, made anew when the settings change. */
import type { GatewayHolder, PlatformName, PlatformStatus } from '../../preload/contract/gateway.ts';
import { MESSENGERS, messengerSettings, type MessengerSettings } from '../../tools/shared/messengers.ts';
import type { Clock, ConfigStore, Log, Storage } from '../ports.ts';
import { isAlive, ownIdentity } from '../process-identity.ts';
import { PlatformError, type Platform, type PlatformEvents, type PlatformParts } from './platform.ts';
import { createDiscord } from './platforms/discord.ts';
import { createEmail } from './platforms/email.ts';
import { createSlack } from './platforms/slack.ts';
import { createTelegram } from './platforms/telegram.ts';
import { createWebhook } from './platforms/webhook.ts';

const FIRST_RETRY_MS = 2_000;
const LAST_RETRY_MS = 120_000;
const OWNER = 'gateway:owner';
const HOLDER = 'gateway:holder';
const STATUS = 'gateway:status';

const MAKERS: Readonly<Record<PlatformName, (parts: PlatformParts) => Platform>> = { discord: createDiscord, email: createEmail, slack: createSlack, telegram: createTelegram, webhook: createWebhook };

export interface ConnectionState { readonly status: PlatformStatus; readonly detail: string | null }
interface Live { readonly platform: Platform; readonly fingerprint: string; started: boolean; cancel: (() => void) | undefined }

export interface ConnectionsParts {
  readonly clock: Clock;
  readonly config: Pick<ConfigStore, 'get' | 'env'>;
  readonly log: Log;
  readonly storage: Pick<Storage, 'values' | 'transaction'>;
  readonly inbox: string;
  /** Of this process. */
  readonly shell: string;
  readonly redact: (text: string) => string;
  events(platform: Platform): Omit<PlatformEvents, 'status'>;
  onChange(): void;
  onConnected(): void;
}

export interface Connections {
  settings(name: PlatformName): MessengerSettings;
  /** For sending, from any process; undefined when it is not set up. */
  sender(name: PlatformName): Platform | undefined;
  state(name: PlatformName): ConnectionState;
  readonly serving: boolean;
  /** The process that serves them; undefined when none does, or it died. */
  holder(): GatewayHolder | undefined;
  /** False when another living process serves them. */
  serve(): boolean;
  /** Somebody else may serve them. Nothing may be connected. */
  release(): void;
  /** Looks at the settings: connects what is new, ends what is gone. */
  refresh(): void;
  close(): Promise<void>;
}

export function createConnections(parts: ConnectionsParts): Connections {
  const { clock, config, log, storage } = parts;
  const live = new Map<PlatformName, Live>();
  const states = new Map<PlatformName, ConnectionState>();
  let serving = false;
  let ending: Promise<unknown> = Promise.resolve();

  const settings = (name: PlatformName): MessengerSettings => messengerSettings(name, config);

  function setState(name: PlatformName, status: PlatformStatus, detail: string | null = null): void {
    states.set(name, { status, detail: detail === null ? null : parts.redact(detail) });
    if (serving) storage.values.set(STATUS, JSON.stringify(Object.fromEntries(states)));
    parts.onChange();
  }

  function end(name: PlatformName): void {
    const known = live.get(name);
    if (known === undefined) return;
    live.delete(name);
    known.cancel?.();
    if (known.started) ending = Promise.all([ending, known.platform.stop().catch((error: unknown) => log.warn('a messenger did not stop properly', { platform: name, error }))]);
  }

  function sender(name: PlatformName): Platform | undefined {
    const wanted = settings(name);
    const known = live.get(name);
    if (known?.fingerprint === wanted.fingerprint) return known.platform;
    end(name);
    const make = MAKERS[name];
    if (wanted.missing !== undefined) return undefined;
    const platform = make({ settings: wanted, env: (variable) => config.env(variable), log, inbox: parts.inbox, now: () => clock.now(), values: storage.values });
    live.set(name, { platform, fingerprint: wanted.fingerprint, started: false, cancel: undefined });
    return platform;
  }

  async function connect(name: PlatformName, one: Live, waitMs: number): Promise<void> {
    const current = (): boolean => live.get(name) === one && serving;
    const later = (detail: string, ms: number): void => {
      setState(name, 'retrying', detail);
      one.cancel = clock.after(ms, () => { void connect(name, one, Math.min(waitMs * 2, LAST_RETRY_MS)); });
    };
    if (!current()) return;
    setState(name, 'starting');
    try {
      one.started = true;
      await one.platform.start({
        ...parts.events(one.platform),
        status: (status, detail) => {
          if (!current()) return;
          setState(name, status, detail ?? null);
          if (status === 'connected') parts.onConnected();
        },
      });
    } catch (error) {
      if (!current()) return;
      const words = error instanceof Error ? error.message : String(error);
      log.warn('a messenger could not be connected', { platform: name, error: parts.redact(words) });
      if (error instanceof PlatformError && error.retryMs === undefined) setState(name, 'failed', words);
      else later(words, Math.max(waitMs, error instanceof PlatformError ? error.retryMs ?? 0 : 0));
    }
  }

  function refresh(): void {
    for (const name of MESSENGERS) {
      const { missing } = settings(name);
      sender(name);
      const one = live.get(name);
      if (one === undefined) {
        setState(name, 'off', missing?.words ?? null);
      } else if (serving && !one.started) {
        void connect(name, one, FIRST_RETRY_MS);
      }
    }
  }

  function release(): void {
    if (serving && owner() === ownIdentity()) storage.values.set(OWNER, undefined);
    serving = false;
  }

  const owner = (): string | undefined => storage.values.get(OWNER);
  const ownedElsewhere = (): boolean => {
    const known = owner();
    return known !== undefined && known !== ownIdentity() && isAlive(known);
  };

  return {
    settings, sender, refresh, release,
    get serving() { return serving; },
    state(name) {
      const { missing } = settings(name);
      if (missing !== undefined) return { status: 'off', detail: missing.words };
      if (serving) return states.get(name) ?? { status: 'starting', detail: null };
      if (!ownedElsewhere()) return { status: 'stopped', detail: 'Nobody serves it now: open the app, or run talaria gateway run.' };
      const stored = JSON.parse(storage.values.get(STATUS) ?? '{}') as Partial<Record<PlatformName, ConnectionState>>; // written by setState
      return stored[name] ?? { status: 'starting', detail: null };
    },
    holder() {
      const known = owner();
      const stored = known === undefined || !isAlive(known) ? undefined : storage.values.get(HOLDER);
      return stored === undefined ? undefined : { here: serving, ...JSON.parse(stored) as Omit<GatewayHolder, 'here'> }; // written by serve
    },
    serve() {
      if (serving) return true;
      serving = storage.transaction(() => {
        if (ownedElsewhere()) return false;
        storage.values.set(OWNER, ownIdentity());
        storage.values.set(HOLDER, JSON.stringify({ pid: process.pid, shell: parts.shell, since: clock.now() }));
        return true;
      });
      return serving;
    },
    async close() {
      for (const name of [...live.keys()]) end(name);
      release();
      await ending;
    },
  };
}
