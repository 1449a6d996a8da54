/** When a server is tried again, and how long anybody waits for it. */

/** Hermes' figures (hermes-runtime 7.13): 3 tries for the first connection, 5 for a lost one, 1 s to 60 s between them, then one every 5 minutes. */
export const FIRST_TRIES = 3;
export const LATER_TRIES = 5;
export const LONGEST_DELAY_MS = 60_000;
export const PARKED_MS = 300_000;
/** Loading the SDK and starting programs keeps the process busy: the host and its first screen come before that. */
export const START_DELAY_MS = 100;
/** A call that finds its server gone waits this long for it to come back. */
export const CALL_WAIT_MS = 15_000;
export const PING_LIMIT_MS = 10_000;
