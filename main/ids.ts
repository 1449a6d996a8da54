/** The one place where ids are minted: a prefix per kind and letters from the system's random source. */
import { randomBytes } from 'node:crypto';
import { ApprovalId, CallId, CredentialId, MessageId, SessionId, TerminalId } from '../preload/contract/ids.ts';
import type { Ids } from './ports.ts';

/** 16 letters out of 32 are 80 bits: no two ids meet by chance. */
const ID_LETTERS = 16;
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * `random(bytes)` returns that many random bytes; tests pass their own source.
 * Ids come out as `ses_… msg_… call_… apr_… crd_… trm_… proc_…`, checked by the contract's schemas.
 */
export function createIds(random: (bytes: number) => Uint8Array = randomBytes): Ids {
  const hex = (bytes: number): string => Buffer.from(random(bytes)).toString('hex');
  const letters = (): string => Array.from(random(ID_LETTERS), (byte) => ALPHABET.charAt(byte & 31)).join('');
  return {
    session: () => SessionId.parse(`ses_${letters()}`),
    message: () => MessageId.parse(`msg_${letters()}`),
    call: () => CallId.parse(`call_${letters()}`),
    approval: () => ApprovalId.parse(`apr_${letters()}`),
    credential: () => CredentialId.parse(`crd_${letters()}`),
    terminal: () => TerminalId.parse(`trm_${letters()}`),
    process: () => TerminalId.parse(`proc_${hex(6)}`),
    hex,
  };
}
