/** A person who answers what a backend asks, as the test says. */
import type { AskCredential, CredentialAnswer, CredentialQuestion } from '../../environments/base.ts';

type Said = string | null;

export interface ScriptedPerson {
  readonly ask: AskCredential;
  /** Everything that was asked, in order. */
  readonly asked: CredentialQuestion[];
}

/** `answers` by purpose, used up one after the other; the last one is given again. `null` = cancelled. A purpose that is not there fails the test. */
export function person(answers: Partial<Record<CredentialQuestion['purpose'], Said | Said[]>>): ScriptedPerson {
  const asked: CredentialQuestion[] = [];
  const used = new Map<string, number>();
  return {
    asked,
    ask: (question): Promise<CredentialAnswer> => {
      asked.push(question);
      const said = answers[question.purpose];
      if (said === undefined) throw new Error(`nobody expected to be asked: ${question.title}`);
      const list = Array.isArray(said) ? said : [said];
      const at = used.get(question.purpose) ?? 0;
      used.set(question.purpose, at + 1);
      const value = list[Math.min(at, list.length - 1)] ?? null;
      return Promise.resolve(value === null ? { kind: 'cancelled' } : { kind: 'given', value });
    },
  };
}
