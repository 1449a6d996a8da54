/** Types and lint: each project and each tool counts as one check. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root, run, runtimeNode } from '../../main/shells/launch/project.mjs';

const PROJECTS = ['preload/contract', 'preload', 'main', 'renderer', 'test'];
const CRUISED = ['main', 'tools', 'environments', 'preload', 'renderer', 'test'];

async function check(report, name, script, args) {
  const { code, output } = await run(runtimeNode(), [join(root, 'node_modules', script), ...args]);
  if (code === 0) report.passed(name);
  else report.failed(name, output.trim());
}

/** TypeScript 7, called by path: `.bin/tsc` may be either version. */
export async function types(report) {
  for (const project of PROJECTS) await check(report, `types of ${project}`, 'ts7/bin/tsc', ['-p', project, '--noEmit']);
}

export async function lint(report) {
  await Promise.all([
    check(report, 'eslint', 'eslint/bin/eslint.js', ['.', '--max-warnings', '0']),
    (async () => {
      await check(report, 'imports point one way (dependency-cruiser)', 'dependency-cruiser/bin/dependency-cruiser.mjs', ['--config', '.dependency-cruiser.cjs', ...CRUISED.filter((folder) => existsSync(join(root, folder)))]);
      await check(report, 'nothing is unused (knip)', 'knip/bin/knip.js', []);
    })(),
  ]);
}
