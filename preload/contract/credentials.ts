/** What a person is asked for while something connects or runs: a secret in a masked field, a word in an open one, or a plain yes. */
import { z } from 'zod';
import { CredentialId, SessionId } from './ids.ts';

export const CredentialRequest = z.object({
  id: CredentialId,
  /** Chat whose work needs it; null when no chat's does (a look at what an earlier run left). */
  sessionId: SessionId.nullable(),
  /** `secret`: masked; `text`: the server said that it may be seen; `confirm`: nothing is typed, only agreed to. */
  kind: z.enum(['secret', 'text', 'confirm']),
  purpose: z.enum(['sudo', 'ssh-password', 'ssh-passphrase', 'ssh-question', 'ssh-host-key']),
  /** Where what is typed goes: `user@host`. */
  host: z.string(),
  /** What is asked, one sentence. Words of a server stand in `detail`. */
  title: z.string(),
  /** More of it, possibly in a server's own words: shown inert. Empty = nothing. */
  detail: z.string(),
  /** Fingerprint to compare, for `ssh-host-key`. */
  fingerprint: z.string().nullable(),
  /** Why it is asked again: "the server refused that password". */
  problem: z.string().nullable(),
  createdAt: z.number(),
  expiresAt: z.number(),
});
export type CredentialRequest = z.infer<typeof CredentialRequest>;
