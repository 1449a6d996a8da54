/** What every search service's answer is turned into. */

export interface SearchHit { readonly title: string; readonly url: string; readonly description: string }
/** The service answered, but not with results; the message names the next step. */
export class SearchRefusal extends Error {}
