/** Hosts of one home that may use the same containers: names that tell one running host from every other, and whether it still runs. */
export interface Hosts {
  readonly self: string;
  isAlive(host: string): boolean;
}
