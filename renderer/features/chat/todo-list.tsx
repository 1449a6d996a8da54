import { ChevronRight, Circle, CircleCheck, CircleDashed, CircleSlash } from 'lucide-react';
import { useId, useState } from 'react';
import type { TodoItem } from '../../../preload/contract/index.ts';
import { classNames } from '../../ui/class-names.ts';
import { useChat } from './context.tsx';

const LOOK = {
  pending: { icon: Circle, words: 'to do', color: 'text-faint', text: '' },
  in_progress: { icon: CircleDashed, words: 'in progress', color: 'text-accent', text: 'font-medium' },
  completed: { icon: CircleCheck, words: 'done', color: 'text-ok', text: 'text-muted' },
  cancelled: { icon: CircleSlash, words: 'dropped', color: 'text-faint', text: 'text-faint line-through' },
} as const satisfies Record<TodoItem['status'], unknown>;

const NOTHING: readonly TodoItem[] = [];

/** The agent's plan: one line with the step at hand, all of it on demand. */
export function TodoList() {
  const todos = useChat((chat) => chat.todos) ?? NOTHING;
  const [open, setOpen] = useState(false);
  const id = useId();
  if (todos.length === 0) return null;
  const done = todos.filter((item) => item.status === 'completed' || item.status === 'cancelled').length;
  const current = todos.find((item) => item.status === 'in_progress') ?? todos.find((item) => item.status === 'pending');
  return (
    <section aria-label="Plan" className="border-b border-line">
      <button type="button" aria-expanded={open} aria-controls={id} onClick={() => { setOpen(!open); }} className="focus-inset flex h-8 w-full items-center gap-2 rounded-t-lg px-3 text-left text-xs">
        <ChevronRight size={14} aria-hidden className={classNames('shrink-0 text-faint transition-transform duration-100', open && 'rotate-90')} />
        <span className="font-medium">Plan</span>
        <span className="text-muted tabular-nums">{done} of {todos.length}</span>
        <span className="min-w-0 flex-1 truncate text-muted">{current?.content ?? 'all done'}</span>
      </button>
      <ul id={id} hidden={!open} className="max-h-48 overflow-y-auto px-3 pb-2">
        {todos.map((item) => {
          const { icon: Icon, words, color, text } = LOOK[item.status];
          return (
            <li key={item.id} className="flex items-start gap-2 py-0.5 text-xs">
              <Icon size={14} aria-hidden className={classNames('mt-px shrink-0', color)} />
              <span className={classNames('min-w-0 flex-1 wrap-anywhere', text)}>{item.content}<span className="sr-only">, {words}</span></span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
