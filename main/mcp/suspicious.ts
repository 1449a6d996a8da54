/** Words in a tool's description that look as if they were meant to steer the model rather than to describe the tool. A warning for people, no wall. */

const SIGNS: readonly { readonly pattern: RegExp; readonly words: string }[] = [
  { pattern: /\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|above|earlier|other|all)\b.{0,20}\b(?:instructions?|prompts?|rules|messages?)\b/is, words: 'tells the model to ignore its instructions' },
  { pattern: /\b(?:do not|don't|never|without)\b.{0,30}\b(?:tell|telling|inform|informing|mention|mentioning|reveal|notify|show)\b.{0,30}\b(?:user|person|human|them)\b/is, words: 'tells the model to keep something from you' },
  { pattern: /<\/?(?:important|system|instructions?|secret|assistant|admin)\b[^>]*>/i, words: 'has mark-up that imitates a system message' },
  { pattern: /(?:~\/|\$HOME\/|\/home\/\w+\/)?\.(?:ssh|aws|gnupg|kube|docker)\b|\bid_(?:rsa|ed25519|ecdsa)\b|\/etc\/(?:passwd|shadow)\b/i, words: 'speaks of files with keys or passwords' },
  { pattern: /\b(?:before|after|instead of|prior to)\b.{0,30}\b(?:using|calling|invoking)\b.{0,30}\b(?:any|every|other|another|all)\b.{0,20}\btools?\b/is, words: 'wants to change how other tools are used' },
  { pattern: /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\u{e0000}-\u{e007f}]/u, words: 'has invisible characters' },
];

/** One phrase per sign, none when it looks harmless. */
export function suspiciousWords(text: string): string[] {
  return SIGNS.filter(({ pattern }) => pattern.test(text)).map(({ words }) => words);
}
