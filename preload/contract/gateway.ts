/** Messengers: which are set up, whether they are connected, and who may talk to the agent through them. */
import { z } from 'zod';

export const PLATFORM_NAMES = ['telegram', 'discord', 'slack', 'email', 'webhook'] as const;
export const PlatformName = z.enum(PLATFORM_NAMES);
export type PlatformName = z.infer<typeof PlatformName>;

/** `off`: not set up, or switched off. `stopped`: no Talaria process of this home serves it now. */
export const PlatformStatus = z.enum(['off', 'stopped', 'starting', 'connected', 'retrying', 'failed']);
export type PlatformStatus = z.infer<typeof PlatformStatus>;

export const AllowedSender = z.object({
  id: z.string(),
  name: z.string(),
  since: z.number(),
  /** `config`: named in the settings, so that only there it can be taken away. */
  by: z.enum(['code', 'hand', 'config']),
});
export type AllowedSender = z.infer<typeof AllowedSender>;

/** A variable without which a messenger cannot work. Its value never leaves the host. */
export const MessengerKey = z.object({
  variable: z.string(),
  /** It is typed unseen. */
  secret: z.boolean(),
  /** `environment`: of the process or of `.env`, which win. `stored`: entered in the app. */
  source: z.enum(['environment', 'stored']).nullable(),
});
export type MessengerKey = z.infer<typeof MessengerKey>;

/** The one process of the home that serves the messengers now. */
export const GatewayHolder = z.object({
  /** This very process. */
  here: z.boolean(),
  pid: z.number(),
  /** `electron`, `browser` or `cli` (`talaria gateway run`). */
  shell: z.string(),
  since: z.number(),
});
export type GatewayHolder = z.infer<typeof GatewayHolder>;

export const MessengerState = z.object({
  name: PlatformName,
  status: PlatformStatus,
  /** What is wrong and what to do, or what is missing. */
  detail: z.string().nullable(),
  /** Chat that gets what is sent to the platform without naming one. */
  homeChannel: z.string().nullable(),
  allowed: z.array(AllowedSender),
  /** Who wrote and was turned away, newest first. */
  refused: z.array(z.object({ id: z.string(), name: z.string(), at: z.number() })),
  /** The code that lets one more person in; null when there is none. */
  pairing: z.object({ code: z.string(), expiresAt: z.number() }).nullable(),
  keys: z.array(MessengerKey),
});
export type MessengerState = z.infer<typeof MessengerState>;
