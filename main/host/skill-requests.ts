/** `skills.*`: a person browses, switches and edits skills, with the checks that a model's changes pass (hermes-runtime 7.5). */
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { AppError } from '../../preload/contract/errors.ts';
import type { SkillInfo, SkillList, SkillText } from '../../preload/contract/skills.ts';
import { unarchive, withSkills } from '../../tools/shared/skills/change.ts';
import { detailsOf } from '../../tools/shared/skills/details.ts';
import { MAX_FILE_BYTES, suitsPlatform } from '../../tools/shared/skills/format.ts';
import { type SkillChange, changeSkills, versionOf } from '../../tools/shared/skills/manage.ts';
import { type Marks, readMarks } from '../../tools/shared/skills/marks.ts';
import { pathInside } from '../../tools/shared/skills/paths.ts';
import { MESSENGERS } from '../../tools/shared/messengers.ts';
import { OWN_PLATFORM, type Skill, allSkills, isAbsent, isNamed, pathOf, realSkillsFolder, skillsFolder } from '../../tools/shared/skills/store.ts';
import type { ConfigStore, Shell } from '../ports.ts';
import type { AreaHandlers } from './handlers.ts';
import { withSwitch } from './skills.ts';

const MANUAL = 'SKILL.md';
const PLATFORMS = [OWN_PLATFORM, ...MESSENGERS];

export interface SkillRequestParts {
  readonly home: string;
  readonly config: Pick<ConfigStore, 'get' | 'env' | 'update'>;
  readonly shell: Pick<Shell, 'openFolder'>;
}

export function skillRequests({ home, config, shell }: SkillRequestParts): AreaHandlers<'skills'> {
  /** Where each archived skill stood, by where it is kept now. */
  const archived = new Map<string, string>();

  async function infoOf(skill: Skill, marks: Marks): Promise<SkillInfo> {
    const { missing } = await detailsOf(skill, config);
    return {
      path: pathOf(skill), name: skill.name, category: skill.category, description: skill.description, folder: skill.folder, source: marks.source(skill),
      enabled: !isNamed(skill, config.get('skills.disabled')), offIn: PLATFORMS.filter((platform) => isNamed(skill, config.get(`skills.platform_disabled.${platform}`))),
      suits: suitsPlatform(skill.frontmatter), pinned: marks.isPinned(skill) === true, missing: [...missing], problem: skill.problem ?? null,
    };
  }
  const marksNow = async (): Promise<Marks> => readMarks(await realSkillsFolder(home) ?? skillsFolder(home));

  async function list(): Promise<SkillList> {
    const [skills, marks] = await Promise.all([allSkills(home), marksNow()]);
    return { folder: skillsFolder(home), platforms: [...PLATFORMS], skills: await Promise.all(skills.map((skill) => infoOf(skill, marks))) };
  }
  async function existing(path: string): Promise<Skill> {
    const skill = (await allSkills(home)).find((each) => pathOf(each) === path);
    if (skill === undefined) throw new AppError('not-found', `There is no skill ${path} any more.`, { hint: 'Look at the list again.' });
    return skill;
  }
  async function change(wanted: SkillChange): Promise<Readonly<Record<string, unknown>>> {
    const outcome = await changeSkills(home, wanted).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ELOCKED') throw new AppError('request/not-possible', 'Another program is changing the skills.', { hint: 'Try again in a moment.' });
      throw error;
    });
    if (!('error' in outcome)) return outcome;
    if (outcome['stale'] === true) throw new AppError('conflict', String(outcome.error), { hint: 'What you typed stays: put it in the place of that, or throw it away and begin from what is there.' });
    throw new AppError('request/invalid', String(outcome.error));
  }

  async function read(path: string, file: string): Promise<SkillText> {
    const skill = await existing(path);
    const inside = await pathInside(skill.folder, file, false);
    if ('error' in inside) throw new AppError('request/invalid', inside.error);
    const bytes = await contentOf(inside.path, inside.relativePath);
    const [{ tags, related, required, missing, files }, skillInfo] = await Promise.all([detailsOf(skill, config), infoOf(skill, await marksNow())]);
    return {
      skill: skillInfo, file: inside.relativePath, text: bytes.includes(0) ? null : bytes.toString('utf8'), bytes: bytes.length, version: versionOf(bytes), tags: [...tags], related: [...related],
      environment: required.map((variable) => ({ ...variable, set: !missing.includes(variable.name) })), files: [...files.references, ...files.templates, ...files.scripts, ...files.assets],
    };
  }

  return {
    'skills.list': list,
    'skills.read': ({ path, file }) => read(path, file),
    'skills.set': async ({ path, enabled, platform }) => {
      const skill = await existing(path);
      if (platform !== undefined && !PLATFORMS.includes(platform)) throw new AppError('request/invalid', `There is no platform '${platform}'.`, { hint: `There are ${PLATFORMS.join(', ')}.` });
      const all = await allSkills(home);
      await config.update(platform === undefined ? 'skills.disabled' : `skills.platform_disabled.${platform}`, (now) => {
        const next = withSwitch(now, skill, !enabled, all);
        return next.length === 0 ? undefined : next;
      });
      return list();
    },
    'skills.create': async ({ name, category, text }) => {
      await change({ action: 'create', name, content: text, category: category === '' ? undefined : category });
      return infoOf(await existing(category === undefined || category === '' ? name : `${category}/${name}`), await marksNow());
    },
    'skills.save': async ({ path, file, text, version }) => {
      await existing(path);
      const next = text.replaceAll('\r\n', '\n');
      await change(file === MANUAL ? { action: 'edit', name: path, content: next, expected: version } : { action: 'write_file', name: path, filePath: file, fileContent: next, expected: version });
      return read(path, file);
    },
    'skills.removeFile': async ({ path, file }) => {
      await existing(path);
      await change({ action: 'remove_file', name: path, filePath: file });
      return read(path, MANUAL);
    },
    'skills.delete': async ({ path }) => {
      const { folder } = await existing(path);
      const kept = String((await change({ action: 'delete', name: path }))['kept_at']);
      archived.set(kept, folder);
      return { restoreId: basename(kept) };
    },
    'skills.restore': async ({ restoreId }) => {
      const [kept, folder] = [...archived].find(([path]) => basename(path) === restoreId) ?? [];
      if (kept === undefined || folder === undefined) throw new AppError('not-found', 'This skill was not deleted here.', { hint: `Deleted skills are kept in ${skillsFolder(home)}/.archive.` });
      if (!await withSkills(home, () => unarchive(kept, folder))) throw new AppError('conflict', `${folder} is taken by another skill now.`, { hint: `The deleted one is kept in ${kept}.` });
      archived.delete(kept);
      return list();
    },
    'skills.openFolder': async ({ path }) => {
      const folder = path === undefined ? await withSkills(home, (root) => Promise.resolve(root)) : (await existing(path)).folder;
      if (await shell.openFolder?.(folder) !== true) throw new AppError('request/not-possible', 'There is no file manager to open here.', { hint: `The folder is ${folder}.` });
      return {};
    },
  };
}

async function contentOf(path: string, shown: string): Promise<Buffer> {
  try {
    const stats = await stat(path);
    if (!stats.isFile()) throw new AppError('request/invalid', `${shown} is no file.`);
    if (stats.size > MAX_FILE_BYTES) throw new AppError('request/not-possible', `${shown} is larger than 1 MiB and is not shown here.`, { hint: 'Open its folder.' });
    return await readFile(path);
  } catch (error) {
    if (isAbsent(error)) throw new AppError('not-found', `The skill has no file ${shown} any more.`);
    throw error;
  }
}
