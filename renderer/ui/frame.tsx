/** What a feature may ask of the window around it. `renderer/app` provides it; features use it instead of reaching into each other. */
import { createContext, useContext } from 'react';
import type { ApprovalId, CallId, MessageId, SessionId, TerminalId } from '../../preload/contract/index.ts';

export type DockTab = 'terminals' | 'approvals' | 'toolsets';

export interface Frame {
  /** The chat that is open, if any. */
  readonly sessionId: SessionId | undefined;
  /** The chat that is open, or was open before the settings were. */
  readonly recentSessionId: SessionId | undefined;
  /** Open a chat, at one of its messages or calls where given. */
  openSession(sessionId: SessionId, at?: { readonly messageId?: MessageId; readonly callId?: CallId }): void;
  /** Bring the dock forward. */
  openDock(tab: DockTab): void;
  /** Open the dock at one terminal. */
  openTerminal(terminalId: TerminalId): void;
  /** Open the dock at one approval. */
  openApproval(approvalId: ApprovalId): void;
  /** Show the settings page, at a section where given. */
  openSettings(sectionId?: string): void;
  /** Put text into the composer of the open chat, where the person can go on writing. Absent where there is no composer. */
  quoteInChat?(text: string): void;
}

const FrameContext = createContext<Frame | undefined>(undefined);

export const FrameProvider = FrameContext.Provider;

/** Throws outside `FrameProvider`: a feature is always drawn inside the window's frame. */
export function useFrame(): Frame {
  const frame = useContext(FrameContext);
  if (frame === undefined) throw new Error('useFrame was called outside FrameProvider; draw the feature inside renderer/app.');
  return frame;
}

/** One section of the settings page. */
export interface SettingsSection {
  readonly id: string;
  readonly title: string;
  readonly Component: () => React.ReactNode;
}
