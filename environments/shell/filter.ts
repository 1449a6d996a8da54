/** What a child process may inherit (hermes-runtime 5.4 "Environment passed to children"): provider keys and gateway tokens stay out. */

const SECRET_NAMES = new Set([
  'GH_TOKEN', 'GITHUB_TOKEN', 'GITLAB_TOKEN', 'HF_TOKEN', 'HUGGINGFACE_TOKEN', 'NPM_TOKEN', 'NODE_AUTH_TOKEN', 'HASS_TOKEN', 'EMAIL_PASSWORD', 'WEBHOOK_SECRET', 'SUDO_PASSWORD',
  'MODAL_TOKEN_ID', 'MODAL_TOKEN_SECRET', 'DAYTONA_API_KEY', 'VERCEL_TOKEN', 'VERCEL_OIDC_TOKEN', 'TINKER_API_KEY', 'WANDB_API_KEY',
  'TELEGRAM_BOT_TOKEN', 'DISCORD_BOT_TOKEN', 'SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'SLACK_SIGNING_SECRET', 'WHATSAPP_TOKEN', 'SIGNAL_PASSWORD',
  'BROWSERBASE_API_KEY', 'FIRECRAWL_API_KEY', 'TAVILY_API_KEY', 'EXA_API_KEY', 'PARALLEL_API_KEY', 'ELEVENLABS_API_KEY', 'FAL_KEY',
  'LLM_MODEL', 'HERMES_MODEL', 'HERMES_REDACT_SECRETS',
]);

/** Every variable of a model provider goes, not only its key: a base URL alone can point a child at a paid account. */
const SECRET_PATTERNS = [
  /^(OPENAI|ANTHROPIC|OPENROUTER|NOUS|GEMINI|GOOGLE_API|GOOGLE_GENAI|DEEPSEEK|MISTRAL|GROQ|XAI|TOGETHER|FIREWORKS|PERPLEXITY|COHERE|CEREBRAS|MOONSHOT|KIMI|ZAI|GLM|MINIMAX|DASHSCOPE|AZURE_OPENAI|AI_GATEWAY|OLLAMA_API|HUGGINGFACE_HUB)_/,
  /^AUXILIARY_.*_(API_KEY|BASE_URL)$/,
  /^GATEWAY_RELAY_.*_(SECRET|KEY|TOKEN)$/,
  /^(TELEGRAM|DISCORD|SLACK|WHATSAPP|MATRIX|MATTERMOST|TWILIO|SIGNAL|LINE|FEISHU|DINGTALK|WECOM)_.*(TOKEN|SECRET|PASSWORD|KEY)$/,
];
/** These may not be let back in by the passthrough list. */
const NEVER = [/^AUXILIARY_.*_(API_KEY|BASE_URL)$/, /^GATEWAY_RELAY_.*_(SECRET|KEY|TOKEN)$/, /^SUDO_PASSWORD$/];
/** Belong to the host's own Python or Node, and break the child's (VIRTUAL_ENV …); the ELECTRON and NODE ones would turn a child into us. */
const DROPPED = new Set([
  'VIRTUAL_ENV', 'CONDA_PREFIX', 'PYTHONHOME', 'ELECTRON_RUN_AS_NODE', 'ELECTRON_NO_ASAR', 'NODE_OPTIONS', 'NODE_CHANNEL_FD', 'VITEST', 'VITEST_WORKER_ID',
  'VITEST_POOL_ID', 'BASH_ENV', 'ENV', 'TMUX', 'TMUX_PANE', 'STY', 'COLUMNS', 'LINES',
]);
const FORCE_PREFIX = '_HERMES_FORCE_';
const SANE_PATH_TAIL = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

function isSecret(name: string): boolean {
  return SECRET_NAMES.has(name) || SECRET_PATTERNS.some((pattern) => pattern.test(name));
}

/**
 * The environment without secrets and without what belongs to the host. `passthrough` (config `terminal.env_passthrough` and skills) lets
 * names back in; `_HERMES_FORCE_NAME` sets NAME past the filter. A PATH without `/usr/bin` gains the usual tail.
 */
export function filterEnvironment(source: Readonly<Record<string, string | undefined>>, passthrough: readonly string[] = []): Record<string, string> {
  const allowed = new Set(passthrough);
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined || DROPPED.has(name) || name.startsWith(FORCE_PREFIX)) continue;
    if (isSecret(name) && (!allowed.has(name) || NEVER.some((pattern) => pattern.test(name)))) continue;
    result[name] = value;
  }
  for (const [name, value] of Object.entries(source)) {
    const forced = name.startsWith(FORCE_PREFIX) ? name.slice(FORCE_PREFIX.length) : '';
    if (forced !== '' && value !== undefined && !NEVER.some((pattern) => pattern.test(forced))) result[forced] = value;
  }
  const path = result['PATH'] ?? '';
  if (!path.split(':').includes('/usr/bin')) result['PATH'] = path === '' ? SANE_PATH_TAIL : `${path}:${SANE_PATH_TAIL}`;
  return result;
}
