/** What a person typed to log in, in memory: a second connection, one after a loss, or one after an idle hour does not ask again. */

export class LoginMemory {
  readonly #values = new Map<string, string>();

  get(what: 'password' | 'passphrase', of: string): string | undefined {
    return this.#values.get(`${what} ${of}`);
  }

  set(what: 'password' | 'passphrase', of: string, value: string | undefined): void {
    if (value === undefined) this.#values.delete(`${what} ${of}`);
    else this.#values.set(`${what} ${of}`, value);
  }
}
