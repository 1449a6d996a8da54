/** Requests about tools and what they keep: toolsets, trying one, pictures and sound, the browser, memory, skills. */
import { z } from 'zod';
import { BrowserInput, BrowserLook } from './browser.ts';
import { composerRequests } from './composer.ts';
import { SessionId } from './ids.ts';
import { Done, LARGE_CHARS, Nothing, OfSession, request } from './request.ts';
import { ToolsetInfo, TriedTool } from './settings.ts';
import { SkillFile, SkillInfo, SkillList, SkillPath, SkillText } from './skills.ts';

const MediaPiece = z.object({ type: z.string(), total: z.number(), data: z.string() });
/** What the model knows from earlier chats. Sizes and limits in characters. */
const MemoryFile = z.object({ target: z.enum(['memory', 'user']), path: z.string(), text: z.string(), chars: z.number(), limit: z.number(), version: z.string() });
export type MemoryFile = z.infer<typeof MemoryFile>;
const TryId = z.string().min(1).max(60);

export const toolRequests = {
  ...composerRequests,

  'toolsets.list': request(z.object({ sessionId: SessionId.optional() }).strict(), z.array(ToolsetInfo)),
  /** With `sessionId`: this chat's switch (null = inherit again). Without: the default for all chats, kept in config.yaml. */
  'toolsets.set': request(
    z.object({ name: z.string().max(100), sessionId: SessionId.optional(), enabled: z.boolean().nullable() }).strict(),
    z.array(ToolsetInfo),
  ),
  /** Forget cached checks and ask again. */
  'toolsets.check': request(z.object({ sessionId: SessionId.optional() }).strict(), z.array(ToolsetInfo)),
  /** The person trusts a user tool (its file), a plugin, or the tools of an MCP server as they are now; by toolset, file or plain name. */
  'toolsets.trust': request(z.object({ name: z.string().max(200) }).strict(), z.array(ToolsetInfo)),

  /**
   * One call by a person, outside any turn, on the whole path of a call: argument check, approvals, limits. Answers when it is over; a refused or
   * failed call is an answer too. `tryId` is the caller's own, to stop it by.
   */
  'tools.try': request(OfSession.extend({ tryId: TryId, name: z.string().min(1).max(200), args: z.record(z.string(), z.unknown()) }), TriedTool, LARGE_CHARS),
  /** Nothing happens when it is over already. */
  'tools.stop': request(z.object({ tryId: TryId }).strict(), Done),

  /**
   * A piece of a picture, sound or film that tools keep in the cache folder of the home, or that lies in the folder of a chat: bytes from `offset` on,
   * in base64. `total` is the file's size; nothing else (by the first bytes) and nothing above 30 MB is handed out.
   */
  'media.read': request(z.object({ path: z.string().min(1).max(4_000), offset: z.int().nonnegative().default(0), sessionId: SessionId.optional() }).strict(), MediaPiece),

  /** The page of a chat's browser as it is now; null while it has none. */
  'browser.look': request(OfSession, BrowserLook.nullable()),
  /** The person holds the wheel: the agent's browser tools wait until it is given back, or for five minutes without input. */
  'browser.hold': request(OfSession.extend({ held: z.boolean() }), Done),
  /** `request/not-possible` unless the person holds the wheel. Places are in the page's pixels. */
  'browser.input': request(OfSession.extend({ input: BrowserInput }), Done),

  'memory.list': request(Nothing, z.array(MemoryFile)),
  /** `version`: of the text that was edited. Throws `request/not-possible` when the file has changed since, `request/invalid` above the limit. */
  'memory.save': request(z.object({ target: MemoryFile.shape.target, text: z.string().max(50_000), version: z.string().max(100) }).strict(), MemoryFile),

  'skills.list': request(Nothing, SkillList),
  /** A file of a skill, SKILL.md by default. Files of more than 1 MiB are `request/not-possible`. */
  'skills.read': request(z.object({ path: SkillPath, file: SkillFile.default('SKILL.md') }).strict(), SkillText),
  /** Switches a skill for all chats (`skills.disabled` of config.yaml), or for the chats of one platform (`skills.platform_disabled`). */
  'skills.set': request(z.object({ path: SkillPath, enabled: z.boolean(), platform: z.string().regex(/^[a-z]{1,20}$/).optional() }).strict(), SkillList),
  /** The checks of `skill_manage`; `request/invalid` says which one failed. */
  'skills.create': request(z.object({ name: z.string().trim().max(100), category: z.string().trim().max(100).optional(), text: z.string().max(200_000) }).strict(), SkillInfo, LARGE_CHARS),
  /** `version`: of the text that was edited, null for a new file. Throws `conflict` when the file has changed since, `request/invalid` when a check fails. */
  'skills.save': request(z.object({ path: SkillPath, file: SkillFile, text: z.string().max(1_100_000), version: z.string().max(100).nullable() }).strict(), SkillText, LARGE_CHARS),
  'skills.removeFile': request(z.object({ path: SkillPath, file: SkillFile }).strict(), SkillText),
  /** It is moved to the archive beside the skills. */
  'skills.delete': request(z.object({ path: SkillPath }).strict(), z.object({ restoreId: z.string() })),
  /** Undo of `skills.delete`, until the app ends. */
  'skills.restore': request(z.object({ restoreId: z.string().max(400) }).strict(), SkillList),
  /** Shows the folder of a skill, or of all, in the file manager of this computer. `request/not-possible` where there is none. */
  'skills.openFolder': request(z.object({ path: SkillPath.optional() }).strict(), Done),
} as const;
