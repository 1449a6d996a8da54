/** Puts the questions of a login to a person. */
import { EnvironmentError, type AskCredential, type CredentialQuestion } from '../base.ts';

const WHY = {
  cancelled: 'you cancelled it', late: 'nobody answered in time', nobody: 'nobody can be asked here', stopped: 'the work that needed it was stopped',
} as const;

/** Asks; the time that the person takes is not the server's. Throws `EnvironmentError` (`denied`) when there is no answer. */
export async function askPerson(ask: AskCredential, question: CredentialQuestion, hint: string): Promise<string> {
  const answer = await ask(question);
  if (answer.kind === 'given') return answer.value;
  throw new EnvironmentError('denied', `${question.title.replace(/[.?]$/, '')}: not given, ${WHY[answer.kind]}`, { hint });
}

/** A limit that stands still while a person is being asked. */
export class PatientLimit {
  readonly #ms: number;
  readonly #onLate: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking = 0;
  #over = false;

  constructor(ms: number, onLate: () => void) {
    this.#ms = ms;
    this.#onLate = onLate;
    this.#start();
  }

  #start(): void {
    if (!this.#over && this.#asking === 0) this.#timer = setTimeout(this.#onLate, this.#ms);
  }

  async whileAsking<T>(work: () => Promise<T>): Promise<T> {
    clearTimeout(this.#timer);
    this.#asking += 1;
    try {
      return await work();
    } finally {
      this.#asking -= 1;
      this.#start();
    }
  }

  end(): void {
    this.#over = true;
    clearTimeout(this.#timer);
  }
}
