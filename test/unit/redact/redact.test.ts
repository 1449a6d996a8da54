/* eslint no-template-curly-in-string: "off" -- shell text with ${…} in it is what is tested here */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../support/cpu-time.ts';
import { createRedact, holdsSecret, type RedactMode } from '../../../main/redact.ts';

const redact = createRedact({ enabled: true });
const BODY = 'aB3dE5fG7hI9kL1mN3pQ5rS7tU9vW1xY3z';

describe('tokens that name their vendor', () => {
  test.each([
    `sk-${BODY}`, `sk-ant-api03-${BODY}`, `sk-proj-${BODY}`, `sk-or-v1-${BODY}`, `ghp_${BODY}`, `gho_${BODY}`, `ghu_${BODY}`, `ghs_${BODY}`, `ghr_${BODY}`,
    `github_pat_${BODY}`, `xoxb-${BODY}`, `xoxp-${BODY}`, `xapp-1-${BODY}`, `AIza${BODY}x`, `pplx-${BODY}`, `fal_${BODY}`, `fc-${BODY}`, 'AKIAIOSFODNN7EXAMPLE',
    `sk_live_${BODY}`, `rk_live_${BODY}`, `SG.${BODY}`, `hf_${BODY}`, `r8_${BODY}`, `npm_${BODY}`, `pypi-${BODY}`, `dop_v1_${BODY}`, `tvly-${BODY}`, `gsk_${BODY}`,
    `xai-${BODY}`, `glpat-${BODY}`, `dckr_pat_${BODY}`, `hvs.${BODY}`,
  ])('%s keeps six letters at its head and four at its tail', (token) => {
    expect(redact(`before ${token}, after`)).toBe(`before ${token.slice(0, 6)}...${token.slice(-4)}, after`);
  });

  test('a short one is hidden whole', () => {
    expect(redact('key sk-abcdef1234 end')).toBe('key *** end');
  });

  test.each(['task-force-abcdefghijklmn', 'sk-estimator-doc-link', 'risk-sk', 'mask-abcdefghijklm', 'npm_config_cache', 'git log --oneline', 'hf_'])('%s is no token', (text) => {
    expect(redact(text)).toBe(text);
  });
});

test.each<[string, string, string]>([
  ['an authorization header', `Authorization: Bearer ${BODY}`, `Authorization: Bearer aB3dE5...xY3z`],
  ['basic credentials', 'authorization: Basic dXNlcjpwYXNzd29yZA==', 'authorization: Basic dXNlcj...ZA=='],
  ['a quoted header of curl', `curl -H "x-api-key: ${BODY}" u`, 'curl -H "x-api-key: aB3dE5...xY3z" u'],
  ['a bearer word in a sentence', `the bearer ${BODY} was`, 'the bearer aB3dE5...xY3z was'],
  ['a JSON Web Token', `t=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefgh_ijk x`, 't=eyJhbG..._ijk x'],
  ['the password of a database URL', 'postgres://app:s3cr3t-pw@db:5432/x', 'postgres://app:***@db:5432/x'],
  ['a password without a user', 'redis://:hunter22@cache/0', 'redis://:***@cache/0'],
  ['a JSON field', '{"apiKey": "abcdefgh12345678abcd", "name": "x"}', '{"apiKey": "abcdef...abcd", "name": "x"}'],
  ['a nested JSON field name', '{"db_password":"pw123456"}', '{"db_password":"***"}'],
  ['a YAML field', '  api_key: abcdef1234\n  model: gpt', '  api_key: ***\n  model: gpt'],
  ['a query parameter', 'GET /x?a=1&access_token=abcd1234efgh&b=2', 'GET /x?a=1&access_token=***&b=2'],
  ['a signed URL', 'https://s3/x?X-Amz-Signature=0123456789abcdef0123&y=1', 'https://s3/x?X-Amz-Signature=012345...0123&y=1'],
  ['a bot token', `https://api/bot12345678:${'A'.repeat(35)}/send`, 'https://api/bot12345678:AAAAAA...AAAA/send'],
])('%s is hidden', (_name, text, expected) => {
  expect(redact(text)).toBe(expected);
});

test('a private key is hidden to its end, or to the end of the text when it is cut', () => {
  const key = (kind: string): string => `-----BEGIN ${kind}-----\nMIIE\nabc\n-----END ${kind}-----`;
  expect(redact(`a\n${key('RSA PRIVATE KEY')}\nb\n${key('OPENSSH PRIVATE KEY')}\nc`)).toBe('a\n[REDACTED PRIVATE KEY]\nb\n[REDACTED PRIVATE KEY]\nc');
  expect(redact('x -----BEGIN PRIVATE KEY-----\nMIIE')).toBe('x [REDACTED PRIVATE KEY]');
  expect(redact(key('CERTIFICATE'))).toBe(key('CERTIFICATE'));
});

describe('lines of the form KEY=value', () => {
  const secrets = 'OPENAI_API_KEY=abcdefgh\nexport DB_PASS="two words here"\nMY_TOKEN=\'x y\'\nAUTH=abcdefghijklmnopqrstuv';
  test('are hidden where variables are listed', () => {
    expect(redact(secrets, 'environment')).toBe('OPENAI_API_KEY=***\nexport DB_PASS=***\nMY_TOKEN=***\nAUTH=abcdef...stuv');
  });

  test('are code elsewhere', () => {
    expect(redact(secrets)).toBe(secrets);
  });

  test.each(['PWD=/home/x', 'SSH_AUTH_SOCK=/tmp/agent', 'KEYBOARD=us', 'PATH=/bin', 'TOKENIZERS_PARALLELISM=1', 'SSL_KEY_FILE=/etc/key', 'MONKEY=1', 'API_KEY=$OTHER', 'API_KEY='])('%s is no secret', (line) => {
    expect(redact(line, 'environment')).toBe(line);
  });
});

test('code that only speaks of secrets stays as it is', () => {
  const code = 'const token = tokens[0];\nif (password === undefined) throw e;\nsecret: string;\n"token": true, api_key: ${KEY}\nkey: value\ntokens: 123456789';
  expect(redact(code)).toBe(code);
});

test('a placeholder in a file is never the same twice and cannot be taken for the secret', () => {
  const text = `key: sk-${BODY}`;
  const [first, second] = [redact(text, 'file'), redact(text, 'file')];
  expect(first).toMatch(/^key: «redacted:[0-9a-f]{8}»$/);
  expect(first).not.toBe(second);
  expect(first).not.toContain(BODY.slice(0, 3));
});

test('the switch is frozen when the function is made', () => {
  const options = { enabled: true };
  const frozen = createRedact(options);
  options.enabled = false;
  process.env['HERMES_REDACT_SECRETS'] = 'false';
  expect(frozen(`sk-${BODY}`)).not.toContain(BODY);
  delete process.env['HERMES_REDACT_SECRETS'];
  expect(createRedact({ enabled: false })(`sk-${BODY}`)).toBe(`sk-${BODY}`);
});

test('what is hidden once stays as it is', () => {
  const text = `Authorization: Bearer sk-${BODY}\n{"token": "abc123def456ghi789jkl"}\nhttp://u:pw@h/?token=abcdefgh\nA_KEY=${BODY}`;
  const once = redact(text, 'environment');
  expect(redact(once, 'environment')).toBe(once);
});

test.each<[string, boolean]>([
  ['curl -H "Authorization: Bearer abcdef123456" https://x', true], ['API_KEY=abc make deploy', true], ['podman *', false], ['git push', false],
  ['curl https://u:pw12@host/x', true], ['make KEY=value', true], ['TOKEN=$TOKEN curl x', false],
])('%s holds a secret: %s', (text, holds) => {
  expect(holdsSecret(text)).toBe(holds);
});

describe('hostile text', () => {
  const pieces = ['"token":"', 'sk-', 'eyJ', 'a://a:', '-----BEGIN PRIVATE KEY-----', 'Authorization: ', 'bearer ', '?key=', '"secret": "\\', "'", 'password: ', 'x-api-key', 'A_KEY="\\',
    'x-x-', 'a.a-', '&x_x_', '12345678:', '\n  api_key:', 'aaaaaaaa', '"', ' ', '=', 'eyJ.eyJ.', 'BEGIN ', 'AKIA', 'sk_live_', '$\'\\'];
  test.each(pieces)('%j repeated to 400,000 characters takes well under a second', (piece) => {
    const text = piece.repeat(Math.ceil(400_000 / piece.length));
    for (const mode of ['output', 'environment', 'file'] as const satisfies readonly RedactMode[]) {
      expect(cpuMs(() => redact(text, mode))).toBeLessThan(1_000);
    }
  });

  test('of any mixture of such pieces is read without an error', () => {
    fc.assert(fc.property(fc.array(fc.constantFrom(...pieces, BODY, '\n', ',', '@'), { maxLength: 60 }), (parts) => {
      expect(typeof redact(parts.join(''), 'environment')).toBe('string');
    }), { numRuns: 500 });
  });
});
