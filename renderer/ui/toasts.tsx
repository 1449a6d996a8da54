/** Short messages at the top edge, where no control is covered. One that takes something back stays long enough to be reached by keyboard. */
import { useEffect, useState } from 'react';
import { X } from 'lucide-react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';
import { IconButton } from './icon-button.tsx';

export interface ToastInput {
  readonly text: string;
  readonly tone?: 'neutral' | 'danger';
  /** A button that takes back what was just done. */
  readonly undo?: { readonly label: string; readonly run: () => void };
}

interface Toast extends ToastInput {
  readonly id: number;
}

interface Toasts {
  readonly shown: readonly Toast[];
  show(toast: ToastInput): number;
  dismiss(id: number): void;
}

/** More than three at once push the oldest out. */
const MAX_SHOWN = 3;
const PLAIN_MS = 6_000;
/** Long enough to notice, move there and press it. */
const UNDO_MS = 12_000;

export function createToasts() {
  let nextId = 1;
  return createStore<Toasts>()((set) => ({
    shown: [],
    show(toast) {
      const id = nextId;
      nextId += 1;
      set((state) => ({ shown: [...state.shown, { ...toast, id }].slice(-MAX_SHOWN) }));
      return id;
    },
    dismiss(id) {
      set((state) => ({ shown: state.shown.filter((toast) => toast.id !== id) }));
    },
  }));
}

/** The window's one list; call `toasts.getState().show(…)` from anywhere. */
export const toasts = createToasts();

export function ToastRegion() {
  const shown = useStore(toasts, (state) => state.shown);
  return (
    <section aria-label="Notifications" className="pointer-events-none fixed inset-x-0 top-12 z-40 flex flex-col items-center gap-2">
      {shown.map((toast) => <ToastCard key={toast.id} toast={toast} />)}
    </section>
  );
}

function ToastCard({ toast }: { readonly toast: Toast }) {
  const [held, setHeld] = useState(false);
  const dismiss = (): void => { toasts.getState().dismiss(toast.id); };
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => { toasts.getState().dismiss(toast.id); }, toast.undo === undefined ? PLAIN_MS : UNDO_MS);
    return () => { clearTimeout(timer); };
  }, [held, toast.id, toast.undo]);
  const { undo } = toast;
  return (
    <div
      role={toast.tone === 'danger' ? 'alert' : 'status'}
      onMouseEnter={() => { setHeld(true); }} onMouseLeave={() => { setHeld(false); }}
      onFocus={() => { setHeld(true); }} onBlur={() => { setHeld(false); }}
      className={classNames('pointer-events-auto flex max-w-120 items-center gap-3 rounded-lg border bg-raised py-1.5 pr-1.5 pl-3 shadow-raised', toast.tone === 'danger' ? 'border-danger/40 text-danger' : 'border-line text-ink')}
    >
      <span className="min-w-0 flex-1 wrap-anywhere">{toast.text}</span>
      {undo === undefined ? null : <Button size="small" onClick={() => { dismiss(); undo.run(); }}>{undo.label}</Button>}
      <IconButton size="small" icon={X} label="Dismiss" onClick={dismiss} />
    </div>
  );
}
