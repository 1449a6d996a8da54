/** Reads what a screen sent: size, JSON, shape, name and input, each with an answer that says what was wrong. */
import type { z } from 'zod';
import { AppError, ClientFrame, requests, topics, type Frame, type ParsedInput, type RequestName, type TopicName } from '../../preload/contract/index.ts';

const LARGEST_CHARS = Math.max(...Object.values(requests).map((spec) => spec.maxChars));
/** UTF-8 takes at most three bytes for a UTF-16 unit. For transports that count bytes before they decode. */
export const LARGEST_FRAME_BYTES = LARGEST_CHARS * 3;
/** A message about a bad input names the first few faults, not hundreds. */
const ISSUES_SHOWN = 3;
const ISSUE_CHARS = 300;
/** `id` of an answer to a frame whose own id cannot be read. */
export const NO_ID = -1;

/** One request with its input checked. The pairing of name and input holds by construction. */
export type CheckedRequest = { [Name in RequestName]: { readonly name: Name; readonly input: ParsedInput<Name> } }[RequestName];

export type Incoming =
  | { readonly kind: 'request'; readonly id: number; readonly request: CheckedRequest }
  | { readonly kind: 'subscribe' | 'unsubscribe'; readonly topic: TopicName }
  | { readonly kind: 'bad'; readonly id: number; readonly error: AppError };

/** A frame from a screen, fully checked. Never throws: what cannot be used comes back as `bad` with the error to send. */
export function readFrame(frame: Frame): Incoming {
  if (typeof frame !== 'string') return bad(NO_ID, 'request/invalid', 'a screen sends text frames only');
  if (frame.length > LARGEST_CHARS) return tooLarge(idAtStart(frame), frame.length, LARGEST_CHARS);
  const parsed = ClientFrame.safeParse(parseJson(frame));
  if (!parsed.success) return bad(idAtStart(frame), 'request/invalid', `this is no frame of the contract: ${faults(parsed.error)}`);
  const { data } = parsed;
  if (data.kind !== 'request') {
    return isTopic(data.topic)
      ? { kind: data.kind, topic: data.topic }
      : bad(NO_ID, 'request/unknown', `there is no topic ${quoted(data.topic)}`);
  }
  return readRequest(data.id, data.name, data.input, frame.length);
}

function readRequest(id: number, name: string, input: unknown, chars: number): Incoming {
  if (!isRequest(name)) return bad(id, 'request/unknown', `there is no request ${quoted(name)}`, 'Reload the window: it may be older than the host.');
  const spec = requests[name];
  if (chars > spec.maxChars) return tooLarge(id, chars, spec.maxChars);
  const checked = spec.input.safeParse(input);
  if (!checked.success) return bad(id, 'request/invalid', `${name}: ${faults(checked.error)}`);
  return { kind: 'request', id, request: { name, input: checked.data } as CheckedRequest }; // cast: the schema of this very name made the input
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no frame of the contract: answered as such
  }
}

/** Own keys only: names come from outside, and `constructor` must not be found. */
const isRequest = (name: string): name is RequestName => Object.hasOwn(requests, name);
const isTopic = (name: string): name is TopicName => Object.hasOwn(topics, name);

/** The id of a frame that is too large or too broken to read whole, as our own client writes it. */
export function idAtStart(frame: string): number {
  const match = /^\{"kind":"request","id":(\d{1,15})[,}]/.exec(frame.slice(0, 64));
  return match === null ? NO_ID : Number(match[1]);
}

function faults(error: z.ZodError): string {
  const shown = error.issues.slice(0, ISSUES_SHOWN).map((issue) => {
    const path = issue.path.map(String).join('.');
    return path === '' ? issue.message : `${path}: ${issue.message}`;
  });
  const more = error.issues.length - shown.length;
  const text = shown.join('; ') + (more > 0 ? `; and ${more} more` : '');
  return text.length > ISSUE_CHARS ? `${text.slice(0, ISSUE_CHARS)}…` : text;
}

const quoted = (name: string): string => JSON.stringify(name.slice(0, 100));

function bad(id: number, code: AppError['code'], message: string, hint?: string): Incoming {
  return { kind: 'bad', id, error: new AppError(code, message, hint === undefined ? {} : { hint }) };
}

function tooLarge(id: number, chars: number, limit: number): Incoming {
  return bad(id, 'request/too-large', `the request has ${chars} characters, at most ${limit} are taken`, 'Put long text in a file and name the file instead.');
}
