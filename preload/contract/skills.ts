/** Skills as a person browses and edits them (hermes-runtime 7.5). */
import { z } from 'zod';

/** `category/name`, or the name alone. */
export const SkillPath = z.string().min(1).max(300);
/** Inside a skill: `SKILL.md`, or a file under references/, templates/, scripts/ or assets/. */
export const SkillFile = z.string().min(1).max(512);

export const SkillInfo = z.object({
  path: z.string(),
  name: z.string(),
  category: z.string().nullable(),
  description: z.string(),
  /** Absolute. */
  folder: z.string(),
  /** `own`, `bundled` with Hermes, or `hub:<name>`. */
  source: z.string(),
  /** False: `skills.disabled` of config.yaml names it. */
  enabled: z.boolean(),
  /** Platforms (`cli`, `telegram`, …) that `skills.platform_disabled` keeps it from. */
  offIn: z.array(z.string()),
  /** False: it names systems, and this is none of them. */
  suits: z.boolean(),
  pinned: z.boolean(),
  /** Environment variables it needs and that are not set. */
  missing: z.array(z.string()),
  /** Why its SKILL.md cannot be read as one. */
  problem: z.string().nullable(),
});
export type SkillInfo = z.infer<typeof SkillInfo>;

export const SkillList = z.object({
  /** Where they lie. */
  folder: z.string(),
  /** By category, then by name. */
  skills: z.array(SkillInfo),
  /** What `skills.set` takes as platforms. */
  platforms: z.array(z.string()),
});
export type SkillList = z.infer<typeof SkillList>;

/** One file of a skill, with what is to be known of the whole. */
export const SkillText = z.object({
  skill: SkillInfo,
  file: z.string(),
  /** Null for a file that is no text. */
  text: z.string().nullable(),
  bytes: z.number(),
  /** Changes with the file's content. */
  version: z.string(),
  tags: z.array(z.string()),
  related: z.array(z.string()),
  environment: z.array(z.object({ name: z.string(), prompt: z.string().optional(), help: z.string().optional(), set: z.boolean() })),
  /** All but SKILL.md, relative, sorted. */
  files: z.array(z.string()),
});
export type SkillText = z.infer<typeof SkillText>;
