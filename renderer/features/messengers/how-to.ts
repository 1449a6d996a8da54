/** How each messenger is set up, in the order of the steps, and what its keys are called where they come from. */
import type { PlatformName } from '../../../preload/contract/gateway.ts';

export interface HowTo {
  readonly steps: readonly string[];
  /** The page where it is done. */
  readonly page: { readonly label: string; readonly url: string } | null;
}

export const HOW_TO: Readonly<Record<PlatformName, HowTo>> = {
  telegram: {
    steps: ['In Telegram, write /newbot to @BotFather and choose a name.', 'Copy the token that it answers with into the field below.', 'Let yourself in with the code that appears here, and write to your bot.'],
    page: { label: 'Open @BotFather', url: 'https://t.me/BotFather' },
  },
  discord: {
    steps: ['Make an application, and under Bot switch on Message Content Intent.', 'Press Reset Token and copy the token into the field below.', 'Under Installation, add the app to your server, or to yourself. On a server it answers when it is named.'],
    page: { label: 'Open discord.com/developers', url: 'https://discord.com/developers/applications' },
  },
  slack: {
    steps: [
      'Make an app, and switch on Socket Mode: the token it makes (xapp-…, connections:write) goes into SLACK_APP_TOKEN.',
      'Add the bot scopes chat:write, im:history, app_mentions:read, users:read, files:read and files:write, the events message.im and app_mention, and switch on Interactivity.',
      'Install the app: the bot token (xoxb-…) goes into SLACK_BOT_TOKEN.',
    ],
    page: { label: 'Open api.slack.com/apps', url: 'https://api.slack.com/apps' },
  },
  email: {
    steps: ['Use an address of its own for the agent: it reads every letter that comes there.', 'Many services want an app password here instead of your own.', 'A letter counts only when the mail server says that its sender is real (DMARC or DKIM).'],
    page: null,
  },
  webhook: {
    steps: ['Choose a long random secret, and give it to the program that will post.', 'It posts to http://127.0.0.1:8644/webhook, signed as Standard Webhooks or as GitHub sign.', 'Answers go to gateway.webhook.reply_url of config.yaml.'],
    page: null,
  },
};

/** What a variable is, in words. */
export const KEY_WORDS: Readonly<Record<string, string>> = {
  TELEGRAM_BOT_TOKEN: 'Bot token', DISCORD_BOT_TOKEN: 'Bot token', SLACK_BOT_TOKEN: 'Bot token (xoxb-…)', SLACK_APP_TOKEN: 'App token (xapp-…)',
  EMAIL_ADDRESS: 'Address', EMAIL_PASSWORD: 'Password', EMAIL_IMAP_HOST: 'IMAP server', EMAIL_SMTP_HOST: 'SMTP server', WEBHOOK_SECRET: 'Secret',
};
