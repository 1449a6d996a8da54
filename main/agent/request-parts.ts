/** What a request holds besides the chat itself: the tools it offers and the system prompt. */
import type { SessionId } from '../../preload/contract/ids.ts';
import type { ModelClient, ModelTool } from '../models/types.ts';
import { NOTHING_ATTACHED, type AttachedView } from './attached.ts';
import type { AgentParts } from './parts.ts';
import { buildSystemPrompt } from './prompt.ts';

/** Asked before every request: a switch in the toolset panel counts from the very next one. */
export async function offeredTools(sessionId: SessionId, parts: AgentParts, client: Pick<ModelClient, 'contextTokens'>): Promise<readonly ModelTool[]> {
  if (parts.toolUse?.isOff === true) return [];
  const { enabled, disabled } = parts.toolsets.enabledFor(sessionId);
  return parts.calls.getToolDefinitions({ enabled, disabled, sessionId, contextTokens: client.contextTokens, quiet: true });
}

/** `values` is written to on the first request of a chat. */
export function systemPrompt(sessionId: SessionId, parts: AgentParts, tools: readonly ModelTool[], values: AgentParts['storage']['values'] = parts.storage.values): Promise<string> {
  return buildSystemPrompt({
    sessionId, home: parts.home, values, ...parts.place(sessionId),
    platform: `${process.platform} ${process.arch}`, tools: tools.map((tool) => tool.function.name),
    skills: () => parts.skills(sessionId),
  });
}

/** How the files of a chat go along with its next request; they are brought to where its commands run. */
export async function attachedView(sessionId: SessionId, model: string, client: Pick<ModelClient, 'baseUrl'>, parts: AgentParts): Promise<AttachedView> {
  const attached = parts.attachments === undefined ? [] : parts.storage.messages.attached(sessionId);
  if (parts.attachments === undefined || attached.length === 0) return NOTHING_ATTACHED;
  return { sees: parts.vision?.sees(model, client.baseUrl) ?? false, places: await parts.attachments.bring(sessionId, attached) };
}
