/**
 * `npm test [-- types lint unit e2e bench package]`: the whole gate on a fresh machine, or the named parts of it. Installs what is
 * missing, runs every part even when an earlier one failed, and closes with `N passed, N failed, N skipped` and the reasons for skips.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build, staleTargets } from '../main/shells/launch/build.mjs';
import { install, isInstalled } from '../main/shells/launch/install.mjs';
import { checkNode, fail, root, runtimeNode, say } from '../main/shells/launch/project.mjs';
import { bench } from './runner/bench.mjs';
import { debianPackages } from './runner/debian.mjs';
import { lint, types } from './runner/checks.mjs';
import { packaging } from './runner/packaging.mjs';
import { Report } from './runner/report.mjs';
import { vitest } from './runner/vitest.mjs';

const WHOLE = ['types', 'lint', 'unit', 'e2e', 'package'];

/** What must be built before a part can run. */
async function built(report) {
  const failures = await report.time('build', () => build(staleTargets()));
  for (const { target, output } of failures) report.failed(`build of ${target}`, output);
  if (failures.length === 0) report.passed('build');
  return failures.length === 0;
}

const PARTS = {
  types: { run: types },
  lint: { run: lint },
  unit: { build: true, packages: ['openssh-server'], run: (report) => vitest(report, 'unit', 'vitest.config.ts') },
  e2e: { build: true, packages: ['chromium'], run: (report) => vitest(report, 'e2e', 'vitest.e2e.config.ts') },
  bench: { build: true, packages: ['chromium'], run: bench },
  package: { build: true, run: packaging },
};

checkNode();
const named = process.argv.slice(2);
const unknown = named.find((name) => !Object.hasOwn(PARTS, name));
if (unknown !== undefined) fail(`there is no part ${JSON.stringify(unknown)} in the tests.`, `Parts: ${Object.keys(PARTS).join(', ')}.`, 2);
const wanted = named.length > 0 ? named : WHOLE;

if (!isInstalled()) await install();
/** Tools started from here must find the project's own Node first. */
process.env.PATH = `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`;
if (!runtimeNode() || !existsSync(join(root, 'node_modules', 'vitest'))) fail('the development packages are not installed.', 'Run `npm ci --include=dev`.');

const report = new Report();
await debianPackages(report, wanted.flatMap((name) => PARTS[name].packages ?? []));
let isBuilt;
for (const name of wanted) {
  const part = PARTS[name];
  if (part.build) isBuilt ??= await built(report);
  if (part.build && !isBuilt) report.skipped(name, 'the build failed');
  else await report.time(name, () => part.run(report));
}
say(report.closing());
process.exit(report.exitCode());
