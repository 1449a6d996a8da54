/** The tools of the classic generation, as hermes-runtime 2.2 lists them by toolset. Typed out on purpose: nothing of the app's own may fill this list. */
export const CLASSIC_TOOLS: Readonly<Record<string, readonly string[]>> = {
  web: ['web_search', 'web_extract'],
  vision: ['vision_analyze'],
  image_gen: ['image_generate'],
  terminal: ['terminal', 'process'],
  moa: ['mixture_of_agents'],
  skills: ['skills_list', 'skill_view', 'skill_manage'],
  browser: [
    'browser_navigate', 'browser_snapshot', 'browser_click', 'browser_type', 'browser_scroll', 'browser_back', 'browser_press', 'browser_get_images', 'browser_vision', 'browser_console',
    'browser_cdp', 'browser_dialog',
  ],
  cronjob: ['cronjob'],
  messaging: ['send_message'],
  rl: [
    'rl_list_environments', 'rl_select_environment', 'rl_get_current_config', 'rl_edit_config', 'rl_start_training', 'rl_check_status', 'rl_stop_training', 'rl_get_results', 'rl_list_runs',
    'rl_test_inference',
  ],
  file: ['read_file', 'write_file', 'patch', 'search_files'],
  tts: ['text_to_speech'],
  todo: ['todo'],
  memory: ['memory'],
  session_search: ['session_search'],
  clarify: ['clarify'],
  code_execution: ['execute_code'],
  delegation: ['delegate_task'],
  homeassistant: ['ha_list_entities', 'ha_get_state', 'ha_list_services', 'ha_call_service'],
};
