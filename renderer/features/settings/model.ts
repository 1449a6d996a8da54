import type { RequestInput } from '../../../preload/contract/index.ts';
import type { Settings } from '../../../preload/contract/settings.ts';

/** The settings as they will be, before the host has answered. */
export function withChange(settings: Settings, change: RequestInput<'settings.set'>): Settings {
  return {
    ...settings,
    approvals: {
      ...settings.approvals, mode: change.approvalsMode ?? settings.approvals.mode, timeoutSeconds: change.approvalsTimeoutSeconds ?? settings.approvals.timeoutSeconds,
    },
    terminal: {
      ...settings.terminal, backend: change.terminalBackend ?? settings.terminal.backend, timeoutSeconds: change.terminalTimeoutSeconds ?? settings.terminal.timeoutSeconds, sandbox: change.terminalSandbox ?? settings.terminal.sandbox,
      sandboxNetwork: change.terminalSandboxNetwork ?? settings.terminal.sandboxNetwork,
    },
    terminalView: {
      fontSize: change.terminalFontSize ?? settings.terminalView.fontSize, screenReader: change.terminalScreenReader ?? settings.terminalView.screenReader,
      followNewest: change.terminalFollowNewest ?? settings.terminalView.followNewest,
    },
    maxIterations: change.maxIterations ?? settings.maxIterations,
    model: { vision: change.modelVision ?? settings.model.vision },
    theme: change.theme ?? settings.theme,
  };
}
