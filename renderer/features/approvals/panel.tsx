import type { ApprovalRequest } from '../../../preload/contract/approvals.ts';
import { Kbd } from '../../ui/kbd.tsx';
import type { Answer } from './actions.ts';
import type { CardGuardState } from './use-card-guard.ts';

/** What every panel of a card shares. */
export interface PanelProps {
  readonly request: ApprovalRequest;
  readonly guard: CardGuardState;
  readonly busy: boolean;
  readonly onAnswer: (answer: Answer) => void;
  readonly onRefused: (why: string | undefined) => void;
  readonly onClose: () => void;
}

export function ConfirmHint({ what }: { readonly what: string }) {
  return (
    <p role="status" className="flex flex-wrap items-center gap-1 font-medium text-accent">
      Press <Kbd keys="Enter" /> to {what}, <Kbd keys="Esc" /> to go back.
    </p>
  );
}
