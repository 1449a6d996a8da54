import { ArrowUp, CornerDownRight, Square } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import type { SessionId } from '../../../preload/contract/index.ts';
import { classNames } from '../../ui/class-names.ts';
import { failureWords } from '../../ui/failure.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Kbd, keyNames } from '../../ui/kbd.tsx';
import { showFailure } from '../../ui/show-failure.ts';
import type { Activity } from './activity.ts';
import { AttachButton, AttachedFiles } from './attached-files.tsx';
import { useAttaching } from './attaching.ts';
import { inputMode, notRecalling, recall } from './composer-model.ts';
import { useChat, useChatFeature } from './context.tsx';
import { loadDraft, saveDraft } from './drafts.ts';
import { useDroppedFiles } from './dropped-files.ts';
import { MentionMenu, useMentionMenu } from './mention-menu.tsx';
import { sentTexts } from './model.ts';
import { onQuote, withQuote } from './quotes.ts';
import { Queue } from './queue.tsx';
import { useChatSlots } from './slots.tsx';
import { SlashMenu, useSlashMenu } from './slash-menu.tsx';
import { TodoList } from './todo-list.tsx';

const MODE_WORDS = {
  message: undefined,
  command: 'Command: runs in this chat’s terminal, the model is not asked',
  tool: 'Tool: runs directly, the model is not asked. /tool NAME {"argument": …}',
} as const;

/** No composer has appeared in this window yet. */
let isFirst = true;

export interface ComposerProps {
  /** Undefined: the first message makes the chat. */
  readonly sessionId: SessionId | undefined;
  readonly activity: Activity;
  /** When it appears; not where something else was opened to be typed into. */
  readonly takesFocus: boolean;
  readonly onStarted: (sessionId: SessionId) => void;
}

export function Composer({ sessionId, activity, takesFocus, onStarted }: ComposerProps) {
  const feature = useChatFeature();
  const { ModelPicker } = useChatSlots();
  const session = useChat((chat) => chat.session);
  const [text, setText] = useState(() => loadDraft(sessionId));
  const [sending, setSending] = useState(false);
  /** Why the text that still stands in the field was not taken. */
  const [problem, setProblem] = useState<string>();
  const recalling = useRef(notRecalling);
  const field = useRef<HTMLTextAreaElement>(null);
  const mode = inputMode(text);
  const busy = activity.kind !== 'idle';
  const write = (next: string): void => {
    setText(next);
    setProblem(undefined);
    saveDraft(sessionId, next);
  };
  const slash = useSlashMenu(text, (next) => { write(next); field.current?.focus(); });
  const [caret, setCaret] = useState(0);
  /** Where the caret goes once the text that it belongs to is drawn. */
  const caretAfter = useRef<number>(undefined);
  const mention = useMentionMenu(sessionId, text, mode.kind === 'message' ? caret : undefined, (next, at) => {
    caretAfter.current = at;
    setCaret(at);
    write(next);
    field.current?.focus();
  });
  useLayoutEffect(() => {
    if (caretAfter.current === undefined) return;
    field.current?.setSelectionRange(caretAfter.current, caretAfter.current);
    caretAfter.current = undefined;
  }, [text]);
  const attaching = useAttaching(sessionId);
  const hasWords = text.trim() !== '' || attaching.files.length > 0;
  const addFiles = (files: readonly File[]): void => {
    if (files.length > 0) attaching.add(files);
    field.current?.focus();
  };
  const dropping = useDroppedFiles(addFiles);
  const takesFocusFirst = useRef(takesFocus);
  useEffect(() => {
    const held = document.activeElement;
    // While a window comes up, somebody may already be typing elsewhere: the keys stay there.
    const taken = isFirst && held instanceof HTMLElement && held.matches('input, textarea');
    isFirst = false;
    if (takesFocusFirst.current && !taken) field.current?.focus();
  }, []);
  useEffect(() => onQuote((quoted) => {
    /** The draft is what stands in the field: both are written together. */
    const next = withQuote(loadDraft(sessionId), quoted);
    setText(next);
    saveDraft(sessionId, next);
    field.current?.focus();
  }), [sessionId]);

  const send = (steer: boolean): void => {
    if (!hasWords || sending) return;
    setSending(true);
    setProblem(undefined);
    const sent = attaching.ready().then((files) => (sessionId === undefined ? feature.start(text, files).then(onStarted) : feature.send(text, steer, files)));
    sent.then(
      () => {
        attaching.clear();
        recalling.current = notRecalling;
        setText((now) => (now === text ? '' : now));
        saveDraft(sessionId, '');
      },
      (error: unknown) => { setProblem(failureWords(error)); },
    ).finally(() => { setSending(false); });
  };
  const stop = (): void => { feature.stop().catch(showFailure); };
  const step = (direction: 'older' | 'newer'): boolean => {
    const chat = feature.store.getState().chat;
    const stepped = chat === undefined ? undefined : recall(recalling.current, direction, text, sentTexts(chat));
    if (stepped === undefined) return false;
    recalling.current = stepped.state;
    write(stepped.text);
    return true;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing || slash.onKeyDown(event) || mention.onKeyDown(event)) return;
    const { selectionStart, selectionEnd } = event.currentTarget;
    const mod = event.ctrlKey || event.metaKey;
    if (event.key === 'Enter' && !event.shiftKey) send(mod && busy);
    else if (event.key === 'Escape' && busy) stop();
    else if (event.key === 'ArrowUp' && selectionStart === 0 && selectionEnd === 0) { if (!step('older')) return; }
    else if (event.key === 'ArrowDown' && recalling.current.at !== -1 && selectionStart === text.length) { if (!step('newer')) return; }
    else return;
    event.preventDefault();
  };
  /** While recalling, the caret goes to the start, so that the next ↑ steps on. */
  useEffect(() => {
    if (recalling.current.at !== -1) field.current?.setSelectionRange(0, 0);
  }, [text]);

  return (
    <div className="mx-auto w-full max-w-190 shrink-0 px-6 pb-4">
      <div className={classNames('relative rounded-lg border bg-raised focus-within:border-accent', dropping && 'border-accent bg-accent-soft', mode.kind === 'message' ? 'border-line-strong/60' : 'border-warn-line')}>
        <SlashMenu menu={slash} />
        <MentionMenu menu={mention} />
        <TodoList />
        <Queue />
        {problem === undefined ? null : <p role="alert" className="border-b border-danger/30 bg-danger-soft px-3 py-1 text-xs text-danger wrap-anywhere first:rounded-t-lg">{problem}</p>}
        {mode.kind === 'message' ? null : <p className="border-b border-warn-line/40 bg-warn-soft first:rounded-t-lg px-3 py-1 text-xs text-warn">{MODE_WORDS[mode.kind]}</p>}
        <AttachedFiles attaching={attaching} sessionId={sessionId} backend={session?.backend} />
        <textarea
          ref={field} value={text} rows={1} dir="auto" spellCheck={mode.kind === 'message'}
          aria-label="Message" aria-describedby="composer-keys" {...slash.fieldProps} {...mention.fieldProps}
          placeholder={busy ? 'Queue a message' : 'Ask, @ names a file, ! runs a command, / for more'}
          onChange={(event) => { recalling.current = notRecalling; setCaret(event.target.selectionStart); write(event.target.value); }}
          onSelect={(event) => { setCaret(event.currentTarget.selectionStart); }}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            // A word processor puts a picture of its text beside the text.
            if (event.clipboardData.files.length === 0 || event.clipboardData.types.includes('text/plain')) return;
            event.preventDefault();
            addFiles([...event.clipboardData.files]);
          }}
          className={classNames('block max-h-[40vh] min-h-10 w-full resize-none [field-sizing:content] overflow-y-auto bg-transparent px-3 pt-2.5 pb-1 text-base outline-none', mode.kind !== 'message' && 'font-mono text-sm')}
        />
        <div className="flex h-10 items-center gap-2 pr-1.5 pl-2">
          {session === undefined ? null : <ModelPicker session={session} />}
          <AttachButton onFiles={addFiles} />
          <p id="composer-keys" className="ml-auto hidden items-center gap-2 text-2xs text-faint md:flex">
            {busy ? <><span><Kbd keys="Enter" /> queue</span><span><Kbd keys="Mod+Enter" /> steer now</span></> : <span><Kbd keys="Shift+Enter" /> new line</span>}
          </p>
          {busy && hasWords ? <IconButton side="top" icon={CornerDownRight} label="Steer: say it before the next step" keys="Mod+Enter" disabled={sending} onClick={() => { send(true); }} className="ml-auto md:ml-0" /> : null}
          {busy ? (
            <IconButton side="top" icon={Square} label={activity.stop} keys="Esc" disabled={activity.kind === 'stopping'} onClick={stop} className="ml-auto border border-line-strong/60 text-ink md:ml-0 [&>svg]:size-3 [&>svg]:fill-current" />
          ) : null}
          {!busy || hasWords ? (
            <IconButton
              side="top" icon={ArrowUp} label={busy ? 'Queue' : 'Send'} keys={keyNames('Enter').join('')} disabled={!hasWords || sending} onClick={() => { send(false); }}
              className={classNames('bg-accent text-on-accent enabled:hover:bg-accent-hover enabled:hover:text-on-accent disabled:bg-hover disabled:text-faint disabled:opacity-100', !busy && 'ml-auto md:ml-0')}
            />
          ) : null}
        </div>
      </div>
    </div>
  );
}
