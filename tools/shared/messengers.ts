/** What the settings say about messengers: names, variables (as in Hermes), and what is missing. */

export const MESSENGERS = ['telegram', 'discord', 'slack', 'email', 'webhook'] as const;
export type Messenger = (typeof MESSENGERS)[number];

interface Settings { get(path: string): unknown; env(name: string): string | undefined }

/** The variables without which a messenger cannot work. */
export const NEEDED_VARIABLES: Readonly<Record<Messenger, readonly string[]>> = {
  telegram: ['TELEGRAM_BOT_TOKEN'],
  discord: ['DISCORD_BOT_TOKEN'],
  slack: ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN'],
  email: ['EMAIL_ADDRESS', 'EMAIL_PASSWORD', 'EMAIL_IMAP_HOST', 'EMAIL_SMTP_HOST'],
  webhook: ['WEBHOOK_SECRET'],
};
const HOME_VARIABLE: Readonly<Record<Messenger, string>> = {
  telegram: 'TELEGRAM_HOME_CHANNEL', discord: 'DISCORD_HOME_CHANNEL', slack: 'SLACK_HOME_CHANNEL', email: 'EMAIL_HOME_ADDRESS', webhook: 'WEBHOOK_HOME_CHANNEL',
};

export interface MessengerSettings {
  readonly name: Messenger;
  /** Why it cannot be used; undefined when it can. `absent`: nothing of it is set up, so nothing is wrong. */
  readonly missing: { readonly words: string; readonly absent: boolean } | undefined;
  readonly homeChannel: string | undefined;
  /** Ids of people who are let in by the settings. */
  readonly allowed: readonly string[];
  /** Changes with everything the messenger's connection is made from. Not for showing: it holds secrets. */
  readonly fingerprint: string;
  /** `gateway.<name>.<key>` of config.yaml, else the variable. */
  value(key: string, variable?: string): string | undefined;
}

function textOf(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  return text === '' ? undefined : text;
}

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf) : (textOf(value) ?? '').split(',').map(textOf)).filter((each) => each !== undefined);

export function messengerSettings(name: Messenger, settings: Settings): MessengerSettings {
  const value = (key: string, variable?: string): string | undefined => textOf(settings.get(`gateway.${name}.${key}`)) ?? (variable === undefined ? undefined : textOf(settings.env(variable)));
  const absentOnes = NEEDED_VARIABLES[name].filter((variable) => textOf(settings.env(variable)) === undefined);
  const switchedOff = settings.get(`gateway.${name}.enabled`) === false;
  const prefix = name.toUpperCase();
  const words = switchedOff ? `It is switched off: gateway.${name}.enabled in config.yaml.`
    : absentOnes.length > 0 ? `Not set up: put ${absentOnes.map((each) => `${each}=…`).join(' and ')} into the .env of the home, or enter it in Settings › Messengers.` : undefined;
  const keys = ['api_root', 'gateway_url', 'host', 'port', 'reply_url', 'imap_port', 'smtp_port', 'imap_secure', 'smtp_secure', 'poll_seconds'];
  return {
    name, value,
    missing: words === undefined ? undefined : { words, absent: switchedOff || absentOnes.length === NEEDED_VARIABLES[name].length },
    homeChannel: value('home_channel', HOME_VARIABLE[name]),
    allowed: [...new Set([...listOf(settings.get(`gateway.${name}.allowed_users`)), ...listOf(settings.env(`${prefix}_ALLOWED_USERS`)), ...listOf(settings.env('GATEWAY_ALLOWED_USERS'))])],
    fingerprint: JSON.stringify([switchedOff, ...NEEDED_VARIABLES[name].map((variable) => settings.env(variable)), settings.env('WEBHOOK_PORT'), settings.env('EMAIL_IMAP_PORT'), settings.env('EMAIL_SMTP_PORT'), ...keys.map((key) => value(key))]),
  };
}
