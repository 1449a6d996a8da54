/** What an MCP server answers, as one result text (hermes-runtime 7.13): `{result, structuredContent?, _meta?}` or `{error}`. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallToolResult, ContentBlock, GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/client';
import { toolError, toolResult } from '../../tools/result.ts';

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'], ['image/jpeg', 'jpg'], ['image/gif', 'gif'], ['image/webp', 'webp'], ['image/svg+xml', 'svg'], ['audio/wav', 'wav'], ['audio/mpeg', 'mp3'], ['audio/ogg', 'ogg'],
]);

/** Saves base64 data under a name made of its content; returns `MEDIA:` and the path. */
async function saveMedia(data: string, mimeType: string | undefined, folder: string): Promise<string> {
  const bytes = Buffer.from(data, 'base64');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${createHash('sha256').update(bytes).digest('hex').slice(0, 24)}.${EXTENSIONS.get(mimeType ?? '') ?? 'bin'}`);
  await writeFile(path, bytes, { mode: 0o600 });
  return `MEDIA:${path}`;
}

async function blockText(block: ContentBlock, folder: string): Promise<string> {
  switch (block.type) {
    case 'text': return block.text;
    case 'image':
    case 'audio': return saveMedia(block.data, block.mimeType, folder);
    case 'resource_link': return `${block.name}: ${block.uri}${block.description === undefined ? '' : ` (${block.description})`}`;
    case 'resource': return resourceText(block.resource, folder);
  }
}

function resourceText(resource: ReadResourceResult['contents'][number], folder: string): Promise<string> {
  if ('text' in resource) return Promise.resolve(resource.text);
  return saveMedia(resource.blob, resource.mimeType, folder);
}

/** `folder` receives images, sounds and other binary parts. */
export async function callResult(result: CallToolResult, folder: string): Promise<string> {
  const text = (await Promise.all(result.content.map((block) => blockText(block, folder)))).join('\n');
  if (result.isError === true) return toolError(text === '' ? 'The MCP server reported an error without words.' : text);
  return toolResult({
    result: text, ...(result.structuredContent === undefined ? {} : { structuredContent: result.structuredContent }), ...(result._meta === undefined ? {} : { _meta: result._meta }),
  });
}

export async function readResult({ contents }: ReadResourceResult, folder: string): Promise<string> {
  return toolResult({ result: (await Promise.all(contents.map((each) => resourceText(each, folder)))).join('\n') });
}

export async function promptResult({ description, messages }: GetPromptResult, folder: string): Promise<string> {
  const texts = await Promise.all(messages.map(async ({ role, content }) => `${role}: ${await blockText(content, folder)}`));
  return toolResult({ result: texts.join('\n\n'), ...(description === undefined ? {} : { description }) });
}
