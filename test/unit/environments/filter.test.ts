import { describe, expect, test } from 'vitest';
import { filterEnvironment } from '../../../environments/shell/filter.ts';

describe('the environment of child processes', () => {
  test.each([
    'OPENAI_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_API_KEY', 'OPENROUTER_API_KEY', 'GH_TOKEN', 'GITHUB_TOKEN', 'MODAL_TOKEN_SECRET', 'DAYTONA_API_KEY', 'TELEGRAM_BOT_TOKEN',
    'SLACK_APP_TOKEN', 'HASS_TOKEN', 'EMAIL_PASSWORD', 'SUDO_PASSWORD', 'AUXILIARY_VISION_API_KEY', 'AUXILIARY_WEB_BASE_URL', 'GATEWAY_RELAY_X_SECRET',
  ])('%s stays out', (name) => {
    expect(filterEnvironment({ PATH: '/usr/bin', [name]: 'canary' })).toEqual({ PATH: '/usr/bin' });
  });

  test.each(['HOME', 'LANG', 'EDITOR', 'AWS_PROFILE', 'SSH_AUTH_SOCK', 'MY_TOKEN_COUNT'])('%s passes', (name) => {
    expect(filterEnvironment({ PATH: '/usr/bin', [name]: 'value' })).toHaveProperty(name, 'value');
  });

  test('the passthrough list lets a key back in, but never the always-secret ones', () => {
    const passed = filterEnvironment({ PATH: '/usr/bin', GH_TOKEN: 't', SUDO_PASSWORD: 'p', AUXILIARY_X_API_KEY: 'k' }, ['GH_TOKEN', 'SUDO_PASSWORD', 'AUXILIARY_X_API_KEY']);
    expect(passed).toEqual({ PATH: '/usr/bin', GH_TOKEN: 't' });
  });

  test('the internal prefix sets a variable past the filter', () => {
    expect(filterEnvironment({ PATH: '/usr/bin', _HERMES_FORCE_OPENAI_API_KEY: 'k' })).toEqual({ PATH: '/usr/bin', OPENAI_API_KEY: 'k' });
  });

  test.each(['VIRTUAL_ENV', 'CONDA_PREFIX', 'PYTHONHOME', 'NODE_OPTIONS', 'BASH_ENV'])('%s of the host is dropped', (name) => {
    expect(filterEnvironment({ PATH: '/usr/bin', [name]: 'x' })).not.toHaveProperty(name);
  });

  test('a path without /usr/bin gains the usual tail', () => {
    expect(filterEnvironment({ PATH: '/opt/only' })['PATH']).toMatch(/^\/opt\/only:.*\/usr\/bin/);
    expect(filterEnvironment({})['PATH']).toContain('/usr/bin');
    expect(filterEnvironment({ PATH: '/opt:/usr/bin' })['PATH']).toBe('/opt:/usr/bin');
  });
});
