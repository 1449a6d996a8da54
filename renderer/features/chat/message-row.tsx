import { Info } from 'lucide-react';
import { memo } from 'react';
import type { Message, MessageId, ToolCall } from '../../../preload/contract/index.ts';
import { Button } from '../../ui/button.tsx';
import { Disclosure } from '../../ui/disclosure.tsx';
import { formatClock } from '../../ui/format.ts';
import { useFrame } from '../../ui/frame.tsx';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { showFailure } from '../../ui/show-failure.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { useChat, useChatFeature, useMessage } from './context.tsx';
import { inputMode } from './composer-model.ts';
import { EditMessage } from './edit-message.tsx';
import { useEdit } from './edits.ts';
import { ForkMark, MessageFoot, useHere } from './message-foot.tsx';
import type { Chat } from './model.ts';
import { Reasoning } from './reasoning.tsx';
import { ReplyText } from './reply-text.tsx';
import { useChatSlots } from './slots.tsx';
import { ToolCard } from './tool-card.tsx';
import { countStates } from './tool-words.ts';

export const MessageRow = memo(function MessageRow({ id }: { readonly id: MessageId }) {
  const message = useMessage(id);
  const edit = useEdit(id);
  const { here, handlers } = useHere();
  if (message === undefined) return <div />;
  return (
    <div data-message={id} {...handlers} className="relative mx-auto w-full max-w-190 px-6 py-1.5">
      {message.role === 'user'
        ? edit === undefined ? <UserMessage message={message} here={here} /> : <EditMessage message={message} text={edit} />
        : message.role === 'notice' ? <Notice message={message} /> : <AssistantMessage message={message} here={here} />}
      {here && !hasFoot(message) && message.state !== 'streaming' ? <ForkMark id={id} /> : null}
    </div>
  );
});

/** What has no foot is forked from the margin. */
const hasFoot = (message: Message): boolean => message.role === 'user' || (message.role === 'assistant' && message.text !== '' && message.calls.length === 0);

function UserMessage({ message, here }: { readonly message: Message; readonly here: boolean }) {
  const { AttachedFile } = useChatSlots();
  const mode = inputMode(message.text);
  return (
    <article aria-label={`You, ${formatClock(message.createdAt)}`} className="group/message mt-2">
      <div data-words className="rounded-lg border border-line bg-panel px-3 py-2">
        {mode.kind === 'message'
          ? message.text === '' ? null : <p dir="auto" className="text-base wrap-anywhere whitespace-pre-wrap"><VisibleText text={message.text} /></p>
          : (
            <p className="font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap">
              <span className="mr-2 font-sans text-2xs font-medium text-faint">{mode.kind === 'command' ? 'You ran' : 'You called'}</span>
              <VisibleText text={mode.body} />
            </p>
          )}
        {message.attachments === undefined ? null : <div className="mt-1.5 flex flex-wrap gap-2 first:mt-0">{message.attachments.map((attachment) => <AttachedFile key={attachment.id} attachment={attachment} sessionId={message.sessionId} />)}</div>}
      </div>
      <MessageFoot message={message} here={here} />
    </article>
  );
}

/** The reply a person stopped; a notice below it says so. */
const STOPPED = 'stopped';

function AssistantMessage({ message, here }: { readonly message: Message; readonly here: boolean }) {
  const streaming = message.state === 'streaming';
  const asked = useChat((chat) => isAnswerToCommand(chat, message.id)) ?? false;
  return (
    <article aria-label={`Reply, ${formatClock(message.createdAt)}`} aria-busy={streaming} className="group/message flex flex-col gap-2">
      {message.reasoning === '' ? null : <Reasoning text={message.reasoning} live={streaming && message.text === '' && message.calls.length === 0} />}
      {message.text === '' ? null : <ReplyText text={message.text} streaming={streaming} sessionId={message.sessionId} />}
      {message.calls.length === 0 ? null : <Calls calls={message.calls} asked={asked} />}
      {message.error === null || message.error.code === STOPPED ? null : <Failure message={message} error={message.error} />}
      {streaming || !hasFoot(message) ? null : <MessageFoot message={message} here={here} />}
    </article>
  );
}

/** True when the person ran it themselves (`!command`, `/tool`): then its output is what they came for. */
function isAnswerToCommand(chat: Chat, id: MessageId): boolean {
  const before = chat.order[chat.order.indexOf(id) - 1];
  const message = before === undefined ? undefined : chat.messages.get(before);
  return message?.role === 'user' && inputMode(message.text).kind !== 'message';
}

function Calls({ calls, asked }: { readonly calls: readonly ToolCall[]; readonly asked: boolean }) {
  if (calls.length === 1) return calls.map((call) => <ToolCard key={call.id} call={call} openAtFirst={asked} />);
  return (
    <section aria-label={`${calls.length} tool calls`} className="flex flex-col gap-1">
      <p className="text-xs text-muted tabular-nums">{calls.length} tool calls: {countStates(calls)}</p>
      {calls.map((call) => <ToolCard key={call.id} call={call} openAtFirst={false} />)}
    </section>
  );
}

function Failure({ message, error }: { readonly message: Message; readonly error: NonNullable<Message['error']> }) {
  const stopped = message.state === 'interrupted';
  return (
    <InlinePanel tone={stopped ? 'warn' : 'danger'} title={error.message} actions={<><TryAgain id={message.id} />{MENDED_IN_SETTINGS.has(error.code) ? <OpenModelSettings /> : null}</>}>
      {error.hint}
    </InlinePanel>
  );
}

/** Trying again changes nothing until another model, address or key is chosen. */
const MENDED_IN_SETTINGS: ReadonlySet<string> = new Set(['model/none', 'model/unauthorised', 'model/not-found', 'model/no-tools', 'model/no-streaming']);

function OpenModelSettings() {
  const frame = useFrame();
  return <Button size="small" onClick={() => { frame.openSettings('model'); }}>Model settings</Button>;
}

/** What may be tried again is the last turn, and only when nothing runs. */
function TryAgain({ id }: { readonly id: MessageId }) {
  const feature = useChatFeature();
  const last = useChat((chat) => chat.order.at(-1) === id && (chat.session?.status ?? 'idle') === 'idle') ?? false;
  if (!last) return null;
  return <Button size="small" onClick={() => { feature.retry().catch(showFailure); }}>Try again</Button>;
}

/** Notices after which the turn is not whole. */
const CUT_SHORT: ReadonlySet<string> = new Set(['notice/stopped', 'notice/budget', 'notice/length', 'notice/restart']);

function Notice({ message }: { readonly message: Message }) {
  if (message.error !== null && message.state === 'error') return <Failure message={message} error={message.error} />;
  const { first, rest } = noticeParts(message);
  return (
    <div role="note" className="flex flex-wrap items-center gap-x-2 gap-y-1 py-1 text-xs text-muted">
      <Info size={14} aria-hidden className="shrink-0 text-faint" />
      <p data-words className="min-w-0 flex-1 wrap-anywhere whitespace-pre-wrap">{first}{message.error?.hint === undefined ? '' : ` ${message.error.hint}`}</p>
      {message.error !== null && CUT_SHORT.has(message.error.code) ? <TryAgain id={message.id} /> : null}
      {message.error?.code === FORKED ? <OpenOrigin id={message.id} /> : null}
      {rest === '' ? null : (
        <Disclosure title="What the agent is told" className="w-full pl-[22px]">
          <pre className="mt-1 max-h-60 overflow-auto rounded-md border border-line bg-sunken px-2 py-1 font-mono text-2xs wrap-anywhere whitespace-pre-wrap"><VisibleText text={rest} /></pre>
        </Disclosure>
      )}
    </div>
  );
}

const FOLDED: ReadonlySet<string> = new Set(['notice/process', 'notice/skill']);

/** These are written for the model: the first line says what happened, the rest (a screen, output, the text of a skill) is for who wants it. */
function noticeParts(message: Message): { readonly first: string; readonly rest: string } {
  const end = message.error !== null && FOLDED.has(message.error.code) ? message.text.indexOf('\n') : -1;
  return end === -1 ? { first: message.text, rest: '' } : { first: message.text.slice(0, end), rest: message.text.slice(end + 1) };
}

const FORKED = 'notice/fork';

/** The notice of this chat's own making: a fork of a fork has that of the other one in its history, too. */
function OpenOrigin({ id }: { readonly id: MessageId }) {
  const frame = useFrame();
  const from = useChat((chat) => (chat.order.findLast((each) => chat.messages.get(each)?.error?.code === FORKED) === id ? chat.session?.forkedFrom : undefined));
  return from === undefined ? null : <Button size="small" onClick={() => { frame.openSession(from); }}>Open that chat</Button>;
}
