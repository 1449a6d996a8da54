/** The checker of imports must see every module: with a TypeScript it does not support it finds nothing and passes. */
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const checker = join(root, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruiser.mjs');

interface Cruise {
  readonly modules: readonly { readonly source: string; readonly dependencies: readonly unknown[] }[];
  readonly summary: { readonly violations: readonly { readonly rule: { readonly name: string }; readonly from: string }[] };
}

function cruise(folder: string, what: readonly string[]): Cruise {
  const args = [checker, '--config', join(root, '.dependency-cruiser.cjs'), '--output-type', 'json', '--no-metrics', ...what];
  /** The exit code is the number of violations; what they are stands in the output either way. */
  let output: string;
  try {
    output = execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28 });
  } catch (error) {
    output = (error as { stdout: string }).stdout; // execFileSync attaches what the child wrote
  }
  return JSON.parse(output) as Cruise; // dependency-cruiser's own report format
}

describe('the import checker', () => {
  test('sees every module of the product and follows its imports', () => {
    const folders = ['main', 'tools', 'environments', 'preload', 'renderer'];
    const existing = globSync(folders.map((folder) => `${folder}/**/*.{ts,tsx}`), { cwd: root }).filter((file) => !file.endsWith('.d.ts'));
    const { modules } = cruise(root, folders);
    const seen = new Set(modules.map((module) => module.source));
    expect(existing.filter((file) => !seen.has(file))).toEqual([]);
    expect(modules.reduce((sum, module) => sum + module.dependencies.length, 0)).toBeGreaterThan(existing.length);
  });
});

describe('a wrong import is caught by the rule that should', () => {
  let toy: string;
  /** file → content; each imports what it must not. */
  const planted: readonly (readonly [rule: string, file: string, imports: string])[] = [
    ['registry-is-a-leaf', 'tools/registry.ts', '../main/host.ts'],
    ['tools-not-host', 'tools/terminal.ts', '../main/host.ts'],
    ['tools-not-backend', 'tools/terminal/run.ts', '../../environments/local.ts'],
    ['tool-not-tool', 'tools/web.ts', './terminal.ts'],
    ['tool-not-tool', 'tools/memory.ts', './terminal/run.ts'],
    ['helper-not-registry', 'tools/web/page.ts', '../registry.ts'],
    ['discovery-not-tool', 'tools/discovery.ts', './memory.ts'],
    ['environment-only-base', 'environments/docker.ts', './local.ts'],
    ['contract-is-a-leaf', 'preload/contract/index.ts', '../../tools/context.ts'],
    ['preload-only-contract', 'preload/client.ts', '../main/host.ts'],
    ['renderer-only-contract', 'renderer/bridge.ts', '../main/host.ts'],
    ['renderer-contract-types-only', 'renderer/app/app.ts', '../../preload/contract/requests.ts'],
    ['renderer-no-node', 'renderer/app/disk.ts', 'node:fs'],
    ['feature-not-feature', 'renderer/features/chat/view.ts', '../approvals/model.ts'],
    ['ui-not-feature', 'renderer/ui/button.ts', '../features/approvals/model.ts'],
    ['electron-only-in-its-shell', 'main/window.ts', 'electron'],
    ['host-not-shell', 'main/start.ts', './shells/cli/main.ts'],
    ['shell-not-shell', 'main/shells/cli/main.ts', '../browser/server.ts'],
    ['main-not-tool-modules', 'main/calls.ts', '../tools/memory.ts'],
    ['main-not-renderer', 'main/view.ts', '../preload/client.ts'],
    ['nothing-imports-test', 'main/fake.ts', '../test/support/fake.ts'],
    ['no-circular', 'main/left.ts', './right.ts'],
  ];
  const targets = ['main/host.ts', 'environments/local.ts', 'environments/base.ts', 'preload/contract/requests.ts', 'renderer/features/approvals/model.ts', 'main/shells/browser/server.ts', 'tools/context.ts', 'test/support/fake.ts'];
  let found: Cruise['summary']['violations'];

  beforeAll(() => {
    toy = mkdtempSync(join(tmpdir(), 'talaria-arrows-'));
    const write = (file: string, text: string): void => {
      mkdirSync(dirname(join(toy, file)), { recursive: true });
      writeFileSync(join(toy, file), text);
    };
    write('tsconfig.json', '{"compilerOptions":{"module":"ESNext","moduleResolution":"Bundler","allowImportingTsExtensions":true,"noEmit":true},"include":["**/*.ts"]}');
    write('package.json', '{"name":"toy","type":"module"}');
    write('node_modules/electron/package.json', '{"name":"electron","main":"index.js"}');
    write('node_modules/electron/index.js', 'module.exports = {};');
    for (const file of targets) write(file, 'export const x = 1;\n');
    write('main/right.ts', "import { x } from './left.ts';\nexport const y = x;\n");
    for (const [, file, imports] of planted) write(file, `import * as wrong from '${imports}';\nexport const x = wrong;\n`);
    found = cruise(toy, ['main', 'tools', 'environments', 'preload', 'renderer', 'test']).summary.violations;
  });
  afterAll(() => { rmSync(toy, { recursive: true }); });

  test.each(planted)('%s: %s must not import %s', (rule, file) => {
    expect(found.filter((violation) => violation.from === file).map((violation) => violation.rule.name)).toContain(rule);
  });
});
