/** What the host waits for a person to type. Pure. */
import type { CredentialRequest } from '../../../preload/contract/index.ts';

export interface CredentialsModel {
  /** Oldest first. */
  readonly open: readonly CredentialRequest[];
}

export const noCredentials: CredentialsModel = { open: [] };

export function withRequests(open: readonly CredentialRequest[]): CredentialsModel {
  return { open: [...open].sort((left, right) => left.createdAt - right.createdAt) };
}

export function withRequest(model: CredentialsModel, request: CredentialRequest): CredentialsModel {
  return withRequests([...model.open.filter((other) => other.id !== request.id), request]);
}

export function withoutRequest(model: CredentialsModel, id: CredentialRequest['id']): CredentialsModel {
  return model.open.some((request) => request.id === id) ? { open: model.open.filter((request) => request.id !== id) } : model;
}

/** Label of the field, and what its button says. */
export function fieldWords(request: CredentialRequest): { readonly label: string; readonly send: string } {
  switch (request.purpose) {
    case 'sudo': return { label: 'sudo password', send: 'Send' };
    case 'ssh-password': return { label: 'Password', send: 'Log in' };
    case 'ssh-passphrase': return { label: 'Passphrase', send: 'Unlock' };
    case 'ssh-question': return { label: 'Answer', send: 'Send' };
    case 'ssh-host-key': return { label: 'Key', send: 'The key is right: connect' };
  }
}

/** Whole seconds left. */
export function secondsLeft(request: CredentialRequest, now: number): number {
  return Math.max(0, Math.ceil((request.expiresAt - now) / 1_000));
}
