/** Where a picture of the model comes from: a web address, a file of the task's backend, or a data: URL. */
import { EnvironmentError } from '../../../environments/base.ts';
import type { ToolContext } from '../../context.ts';
import { fetchPage } from '../fetch/fetch-page.ts';
import { type WebTransport, makeGuardedAgent, systemTransport } from '../fetch/transport.ts';
import { checkUrl } from '../fetch/url-rules.ts';
import { checkReadPath, isDevicePath, resolvePath } from '../paths.ts';
import { MAX_PICTURE_BYTES, PictureError, readPicture, type Picture } from './picture.ts';

/** Throws PictureError with cause and next step; what aborted `context.signal` is thrown as it is. */
export async function loadPicture(source: string, context: ToolContext, transport: WebTransport = systemTransport): Promise<Picture> {
  const text = source.trim();
  if (text === '') throw new PictureError('No picture is named. Give its http(s) address or the path of a file.');
  if (/^data:/i.test(text)) return readPicture(fromDataUrl(text));
  if (/^https?:/i.test(text)) return readPicture(await download(text, context, transport));
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text) && !/^file:/i.test(text)) throw new PictureError('Only http and https addresses and paths of files can be looked at.');
  return readPicture(await readFile(/^file:/i.test(text) ? filePath(text) : text, context));
}

function fromDataUrl(text: string): Uint8Array {
  const [, body] = /^data:[^,]*;base64,([A-Za-z0-9+/=\s]+)$/i.exec(text) ?? [];
  if (body === undefined) throw new PictureError('This data: address holds no base64 picture.');
  return Buffer.from(body, 'base64');
}

function filePath(text: string): string {
  try {
    return decodeURIComponent(new URL(text).pathname);
  } catch {
    throw new PictureError(`'${text.slice(0, 200)}' is no valid file address. Give the plain path.`);
  }
}

async function download(text: string, { services, signal }: ToolContext, transport: WebTransport): Promise<Uint8Array> {
  const check = (address: string): ReturnType<typeof checkUrl> => checkUrl(address, services);
  const start = await check(text);
  if (!(start instanceof URL)) throw new PictureError(start.error);
  const agent = makeGuardedAgent(transport, { allowPrivate: services.config.get('security.allow_private_urls') === true, maxBytes: MAX_PICTURE_BYTES });
  try {
    const page = await fetchPage(start, agent, check, signal, { what: 'image', accept: 'image/png,image/jpeg,image/webp,image/*;q=0.8', maxBytes: MAX_PICTURE_BYTES });
    if ('error' in page) throw new PictureError(page.error);
    return page.bytes;
  } finally {
    await agent.destroy();
  }
}

async function readFile(given: string, context: ToolContext): Promise<Uint8Array> {
  const environment = await context.services.files.environment(context.taskId);
  const path = resolvePath(given, context.cwd, environment.describe().homeDirectory);
  const { realPath, refused } = await checkReadPath(environment, context, path);
  if (refused !== undefined) throw new PictureError(refused);
  if (isDevicePath(path) || isDevicePath(realPath)) throw new PictureError(`'${given}' is a device, not a picture.`);
  const stat = await environment.stat(path);
  if (stat === undefined) throw new PictureError(`File not found: ${given}. Find it with search_files (target 'files').`);
  if (stat.kind !== 'file') throw new PictureError(`'${given}' is not a regular file.`);
  try {
    return await environment.readFile(path, { maxBytes: MAX_PICTURE_BYTES });
  } catch (error) {
    if (error instanceof EnvironmentError) throw new PictureError(stat.size > MAX_PICTURE_BYTES ? `'${given}' has more than 20 MB. Make it smaller first.` : error.message);
    throw error;
  }
}
