/** The verdict on a command without running or asking: where it would run, and side by side on every backend. */
import type { BackendVerdict } from '../../preload/contract/approval-rules.ts';
import type { CommandReview } from '../../preload/contract/approvals.ts';

/** Backends that the test box answers for (hermes-runtime 6). */
const BACKENDS = ['local', 'docker', 'ssh', 'singularity', 'modal', 'daytona', 'vercel_sandbox'];

/** `on` judges for one backend; undefined is the one in use. */
export function triedOut(on: (backend: string | undefined) => CommandReview, wanted: string | undefined): CommandReview & { backends: BackendVerdict[] } {
  const backends = BACKENDS.map((backend): BackendVerdict => {
    const { verdict, rule } = on(backend);
    return { backend, verdict, ...(rule === undefined ? {} : { rule }) };
  });
  return { ...on(wanted), backends };
}
