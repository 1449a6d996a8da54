/** Tells the person outside the window what waits for them: each approval, each question, each password once. */
import type { EventBus, Shell, Storage } from '../ports.ts';

const BODY_CHARS = 160;

/** Returns the function that stops it. The shell decides whether a note is shown (a focused window needs none). Systems keep their notes, so `redact` takes the secrets out; the card shows what runs. */
export function followNotifications(events: Pick<EventBus, 'subscribe'>, shell: Pick<Shell, 'notify'>, storage: Pick<Storage, 'sessions'>, redact: (text: string) => string): () => void {
  // Hidden before it is cut: half a secret has no shape.
  const short = (whole: string): string => {
    const text = redact(whole);
    return text.length > BODY_CHARS ? `${text.slice(0, BODY_CHARS - 1)}…` : text;
  };
  const told = new Set<string>();
  const offApprovals = events.subscribe('approvals', ({ request }) => {
    const open = request.state === 'created' || request.state === 'delivered';
    if (!open || told.has(request.id)) return;
    told.add(request.id);
    shell.notify({ title: `${request.sessionTitle}: a command waits for you`, body: short(request.command), sessionId: request.sessionId, approvalId: request.id });
  });
  const offChat = events.subscribe('chat', (event) => {
    if (event.type !== 'question-asked') return;
    const title = storage.sessions.get(event.sessionId)?.title ?? 'A chat';
    shell.notify({ title: `${title}: a question for you`, body: short(event.question.question), sessionId: event.sessionId });
  });
  const offCredentials = events.subscribe('credentials', (event) => {
    if (event.type !== 'asked') return;
    const { sessionId, title } = event.request;
    const chat = sessionId === null ? undefined : storage.sessions.get(sessionId)?.title;
    shell.notify({ title: `${chat ?? 'Talaria'} waits for you`, body: short(title), ...(sessionId === null ? {} : { sessionId }) });
  });
  return () => {
    offCredentials();
    offApprovals();
    offChat();
  };
}
