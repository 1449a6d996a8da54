/** The toolsets that ship, by Hermes' names (hermes-runtime 2.1, 2.2, 2.4). Classic tool names; tools that nobody registers cost nothing. */

export interface Toolset {
  readonly description: string;
  readonly tools: readonly string[];
  /** Other toolsets whose tools belong to it too. */
  readonly includes: readonly string[];
  /** A bundle that sets what a session is like rather than one ability. Disabling it takes away only what the core list lacks. */
  readonly posture?: true;
}

const WEB = ['web_search', 'web_extract'];
const TERMINAL = ['terminal', 'process'];
const FILE = ['read_file', 'write_file', 'patch', 'search_files'];
const SKILLS = ['skills_list', 'skill_view', 'skill_manage'];
const BROWSER = [
  'browser_navigate', 'browser_snapshot', 'browser_click', 'browser_type', 'browser_scroll', 'browser_back', 'browser_press',
  'browser_get_images', 'browser_vision', 'browser_console', 'browser_cdp', 'browser_dialog',
];
const HOME_ASSISTANT = ['ha_list_entities', 'ha_get_state', 'ha_list_services', 'ha_call_service'];
const DISCORD = ['discord', 'discord_admin'];
const FEISHU_DRIVE = ['feishu_drive_list_comments', 'feishu_drive_list_comment_replies', 'feishu_drive_reply_comment', 'feishu_drive_add_comment'];
const YUANBAO = ['yb_query_group_info', 'yb_query_group_members', 'yb_send_dm', 'yb_search_sticker', 'yb_send_sticker'];
const RL = [
  'rl_list_environments', 'rl_select_environment', 'rl_get_current_config', 'rl_edit_config', 'rl_start_training', 'rl_check_status',
  'rl_stop_training', 'rl_get_results', 'rl_list_runs', 'rl_test_inference',
];
const KANBAN = [
  'show', 'list', 'complete', 'block', 'request_review', 'request_changes', 'heartbeat', 'comment', 'create', 'link', 'unblock', 'attach',
  'attach_url', 'attachments',
].map((action) => `kanban_${action}`);
const DESKTOP_UI = [
  'read_terminal', 'close_terminal', 'desktop_preview', 'drive_preview', 'annotate_preview', 'focus_pane', 'react_to_message', 'gui_tour', 'show_tip',
];

/** What every platform shares. */
export const CORE_TOOLS: readonly string[] = [
  ...WEB, ...TERMINAL, ...FILE, 'vision_analyze', 'image_generate', ...SKILLS, ...BROWSER, 'text_to_speech', 'todo', 'memory',
  'session_search', 'clarify', 'execute_code', 'delegate_task', 'cronjob', 'send_message', ...HOME_ASSISTANT,
];

const without = (...names: string[]): string[] => CORE_TOOLS.filter((name) => !names.includes(name));
const plain = (description: string, tools: readonly string[], includes: readonly string[] = []): Toolset => ({ description, tools, includes });

const CODING = without('image_generate', 'text_to_speech', 'cronjob', 'computer_use', ...HOME_ASSISTANT, ...KANBAN);

/** Chat platforms that get exactly the core list. */
const CORE_MESSENGERS: readonly (readonly [string, string])[] = [
  ['telegram', 'Telegram'], ['whatsapp', 'WhatsApp'], ['slack', 'Slack'], ['signal', 'Signal'], ['bluebubbles', 'BlueBubbles (iMessage)'],
  ['homeassistant', 'Home Assistant'], ['email', 'e-mail'], ['mattermost', 'Mattermost'], ['matrix', 'Matrix'], ['dingtalk', 'DingTalk'],
  ['weixin', 'Weixin'], ['qqbot', 'QQ'], ['wecom', 'WeCom'], ['wecom-callback', 'WeCom callbacks'], ['sms', 'SMS'],
];
const MESSENGER_PRESETS = [...CORE_MESSENGERS.map(([name]) => `hermes-${name}`), 'hermes-discord', 'hermes-feishu', 'hermes-yuanbao'];

export const STATIC_TOOLSETS: ReadonlyMap<string, Toolset> = new Map<string, Toolset>([
  ['web', plain('Search the web and read pages', WEB)],
  ['search', plain('Search the web only', ['web_search'])],
  ['vision', plain('Look at images', ['vision_analyze'])],
  ['video', plain('Look at videos', ['video_analyze'])],
  ['image_gen', plain('Make images', ['image_generate'])],
  ['video_gen', plain('Make videos', ['video_generate'])],
  ['terminal', plain('Run commands and look after background processes', TERMINAL)],
  ['moa', plain('Ask several models at once', ['mixture_of_agents'])],
  ['skills', plain('Read and keep skills', SKILLS)],
  ['browser', plain('Drive a web browser', [...BROWSER, 'browser_exec'])],
  ['cronjob', plain('Schedule work', ['cronjob'])],
  ['messaging', plain('Send messages through other platforms', ['send_message'])],
  ['rl', plain('Train models with reinforcement learning', RL)],
  ['file', plain('Read, write, change and search files', FILE)],
  ['tts', plain('Turn text into speech', ['text_to_speech'])],
  ['todo', plain('Keep a task list for work of several steps', ['todo'])],
  ['memory', plain('Remember facts across chats', ['memory'])],
  ['session_search', plain('Search earlier chats', ['session_search'])],
  ['clarify', plain('Ask the person a question', ['clarify'])],
  ['code_execution', plain('Run Python scripts that call tools', ['execute_code'])],
  ['delegation', plain('Hand work to subagents', ['delegate_task'])],
  ['homeassistant', plain('See and control a smart home', HOME_ASSISTANT)],
  ['discord', plain('Read and take part in Discord', ['discord'])],
  ['discord_admin', plain('Manage Discord servers', ['discord_admin'])],
  ['feishu_doc', plain('Read Feishu documents', ['feishu_doc_read'])],
  ['feishu_drive', plain('Comment on Feishu files', FEISHU_DRIVE)],
  ['spotify', plain('Control Spotify', [
    'spotify_playback', 'spotify_devices', 'spotify_queue', 'spotify_search', 'spotify_playlists', 'spotify_albums', 'spotify_library',
  ])],
  ['yuanbao', plain('Take part in Yuanbao groups', YUANBAO)],
  ['kanban', plain('Work on a shared board', KANBAN)],
  ['computer_use', plain('Control the desktop', ['computer_use'])],
  ['x_search', plain('Search X', ['x_search'])],
  ['context_engine', plain('Context kept by a plugin', [])],
  ['project', plain('Work with desktop projects', ['desktop_project'])],
  ['desktop_ui', plain('Act in the desktop app', DESKTOP_UI)],

  ['debugging', plain('Find and fix faults: terminal, files and web', TERMINAL, ['web', 'file'])],
  ['safe', plain('No terminal and no file access', [], ['web', 'vision', 'image_gen', 'moa'])],
  ['coding', { description: 'Everything for programming work', tools: CODING, includes: [], posture: true }],

  ['hermes-cli', plain('Command line', CORE_TOOLS)],
  ['hermes-cron', plain('Scheduled work', CORE_TOOLS)],
  ...CORE_MESSENGERS.map(([name, title]) => [`hermes-${name}`, plain(`Chats on ${title}`, CORE_TOOLS)] as const),
  ['hermes-discord', plain('Chats on Discord', [...CORE_TOOLS, ...DISCORD])],
  ['hermes-feishu', plain('Chats on Feishu', [...CORE_TOOLS, 'feishu_doc_read', ...FEISHU_DRIVE])],
  ['hermes-yuanbao', plain('Chats on Yuanbao', [...CORE_TOOLS, ...YUANBAO])],
  ['hermes-acp', plain('Editors that speak the Agent Client Protocol', CODING.filter((name) => name !== 'clarify' && name !== 'send_message'))],
  ['hermes-api-server', plain('The HTTP API', without('text_to_speech', 'clarify', 'send_message', 'computer_use', ...KANBAN))],
  ['hermes-webhook', plain('Webhooks: untrusted input, so no files and no system', [...WEB, 'vision_analyze', 'clarify'])],
  ['hermes-gateway', plain('Every messaging platform', [], MESSENGER_PRESETS)],
]);

/** Names that old configurations use where a toolset is expected. `terminal_tools` never included `process`. */
export const LEGACY_TOOLSET_MAP: ReadonlyMap<string, readonly string[]> = new Map([
  ['web_tools', WEB],
  ['terminal_tools', ['terminal']],
  ['vision_tools', ['vision_analyze']],
  ['image_tools', ['image_generate']],
  ['moa_tools', ['mixture_of_agents']],
  ['skills_tools', SKILLS],
  ['browser_tools', BROWSER.slice(0, 10)],
  ['cronjob_tools', ['cronjob']],
  ['rl_tools', RL],
  ['file_tools', FILE],
  ['tts_tools', ['text_to_speech']],
]);

/** Toolsets that are off until a person switches them on. */
export const DEFAULT_OFF_TOOLSETS: ReadonlySet<string> = new Set([
  'moa', 'homeassistant', 'rl', 'spotify', 'discord', 'discord_admin', 'video', 'video_gen', 'x_search',
]);
