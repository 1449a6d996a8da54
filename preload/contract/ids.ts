/** Branded ids. Each kind has its own prefix, so an id of one kind is never taken for another. */
import { z } from 'zod';

const id = (prefix: string): z.ZodString => z.string().regex(new RegExp(`^${prefix}_[0-9a-z]{12,20}$`));

/** Ours are `ses_…`; scripts may name their own with `--session NAME`. */
export const SessionId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/).brand<'SessionId'>();
export type SessionId = z.infer<typeof SessionId>;
export const MessageId = id('msg').brand<'MessageId'>();
export type MessageId = z.infer<typeof MessageId>;
/** Ours, minted per execution; the model's own `tool_call_id` is kept beside it. */
export const CallId = id('call').brand<'CallId'>();
export type CallId = z.infer<typeof CallId>;
export const ApprovalId = id('apr').brand<'ApprovalId'>();
export type ApprovalId = z.infer<typeof ApprovalId>;
/** One live or ended terminal. Background processes use Hermes' own `proc_<12 hex>`. */
export const TerminalId = z.string().regex(/^(trm_[0-9a-z]{12,20}|proc_[0-9a-f]{12})$/).brand<'TerminalId'>();
export type TerminalId = z.infer<typeof TerminalId>;
/** Something asked of a person: a password, a passphrase, a yes to a new server's key. */
export const CredentialId = id('crd').brand<'CredentialId'>();
export type CredentialId = z.infer<typeof CredentialId>;
/** A file that a person gave along with a message. */
export const AttachmentId = id('att').brand<'AttachmentId'>();
export type AttachmentId = z.infer<typeof AttachmentId>;
