/**
 * What plugins hear of messengers (hermes-runtime 3.3). `pre_gateway_dispatch`: they see what comes in before anybody is asked who sent it; they may
 * drop it or change its words, not let its sender in. `on_session_finalize` and `on_session_reset`: a conversation goes on in another chat.
 */
import type { HookBus } from '../calls/hooks.ts';
import type { Log } from '../ports.ts';
import type { Incoming } from './platform.ts';

const HOOK = 'pre_gateway_dispatch';

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The message to go on with; undefined = a plugin dropped it. The first answer with an action counts; a plugin that fails changes nothing. */
export async function beforeDispatch(message: Incoming, platform: string, { hooks, log }: { readonly hooks: Pick<HookBus, 'has' | 'collect'>; readonly log: Log }): Promise<Incoming | undefined> {
  if (!hooks.has(HOOK)) return message;
  const { chat, thread, messageId, sender, direct, title, text, files } = message;
  const answers = await hooks.collect(HOOK, {
    platform, event: { platform, chat_id: chat, thread_id: thread, message_id: messageId, user_id: sender.id, user_name: sender.name, is_direct: direct, chat_title: title, text, media_urls: [...files] },
  });
  for (const answer of answers) {
    if (!isRecord(answer)) continue;
    if (answer['action'] === 'allow') return message;
    if (answer['action'] === 'skip') {
      log.info('a plugin dropped a message of a messenger', { platform, messageId, reason: typeof answer['reason'] === 'string' ? answer['reason'] : '' });
      return undefined;
    }
    if (answer['action'] === 'rewrite' && typeof answer['text'] === 'string') return { ...message, text: answer['text'] };
    log.warn('a pre_gateway_dispatch hook asked for something unknown; it is ignored', { platform, action: String(answer['action']) });
  }
  return message;
}

/** Tells that a messenger's chat goes on in a new one: first the end of the old one, then the new one. */
export async function tellReset(hooks: Pick<HookBus, 'observe'>, { platform, before, after }: { readonly platform: string; readonly before: string; readonly after: string }): Promise<void> {
  await hooks.observe('on_session_finalize', { session_id: before, platform, reason: 'new_session' });
  await hooks.observe('on_session_reset', { session_id: after, platform, reason: 'new_session' });
}
