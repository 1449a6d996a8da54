/** Every test process starts with an empty home of its own and without the developer's keys and settings. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const home = mkdtempSync(join(tmpdir(), 'talaria-test-home-'));
for (const name of Object.keys(process.env)) {
  if (/^(OPENAI|OPENROUTER|ANTHROPIC|HERMES|TERMINAL|MODAL|DAYTONA|VERCEL)_/.test(name) || name === 'SUDO_PASSWORD') delete process.env[name];
}
process.env['HERMES_HOME'] = `${home}/.hermes`;
process.env['HOME'] = home;
/** Not at the process' exit: the runner ends its workers without one. Registered first, so it runs after every other clean-up of the file. */
afterAll(() => { rmSync(home, { recursive: true, force: true, maxRetries: 5 }); });
