/** What must not get into a skill. Skills are full of commands, so only what steals, steers or hides is stopped. Pure. */

interface Threat { readonly words: string; readonly pattern: RegExp }

const SECRET_FILE = String.raw`(?:\.netrc|\.pgpass|\.aws\/credentials|\.ssh\/id_\w+|id_(?:rsa|ed25519|ecdsa)|\/etc\/shadow|\.hermes\/(?:\.env|auth\.json))\b`;
const THREATS: readonly Threat[] = [
  { words: 'an attempt to override instructions', pattern: /\b(?:ignore|disregard|forget|override)\s+(?:\w+\s+){0,3}(?:previous|prior|above|earlier|system)\s+(?:\w+\s+){0,2}(?:instructions?|rules?|prompts?|guidelines?)\b/i },
  { words: 'an attempt to hide things from the person', pattern: /\b(?:do\s+not|don't|never)\s+(?:tell|inform|reveal\s+(?:this\s+|it\s+)?to|mention\s+(?:this\s+|it\s+)?to)\s+the\s+(?:user|person|human|operator)\b/i },
  { words: 'tags that pass for structure of the conversation', pattern: /<\/?(?:system|assistant|tool_call|function_call)(?:\s[^<>]{0,200})?>|<\|im_(?:start|end)\|>/i },
  { words: 'a command that sends a file of secrets away', pattern: new RegExp(String.raw`\b(?:curl|wget|nc|ncat|scp)\b[^\n]{0,300}${SECRET_FILE}|${SECRET_FILE}[^\n]{0,300}\|\s*(?:curl|wget|nc|ncat|base64)\b`, 'i') },
  { words: 'a command that sends all variables away', pattern: /\b(?:env|printenv|set)\b\s*\|[^\n]{0,200}\b(?:curl|wget|nc|ncat)\b/i },
  { words: 'a shell handed to another computer', pattern: /\/dev\/tcp\/|\bnc(?:at)?\b[^\n]{0,100}\s-e\s|\bmkfifo\b[^\n]{0,200}\bnc\b/i },
  { words: 'a key put into authorized_keys', pattern: />>?\s*\S{0,200}authorized_keys/i },
  { words: 'a command that erases the disk', pattern: /\brm\s+-[a-z]{0,8}(?:rf|fr)[a-z]{0,8}\s+(?:--no-preserve-root\s+)?\/(?:\s|\*|$)|\bmkfs\.\w+\s+\/dev\/|\bdd\b[^\n]{0,100}of=\/dev\/(?:sd|nvme|hd)/im },
];
/** Characters that a person does not see. */
const UNSEEN = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u{e0000}-\u{e007f}]/u;

/** In words, or undefined for harmless text. */
export function findThreat(text: string): string | undefined {
  const unseen = UNSEEN.exec(text);
  if (unseen !== null) return `the invisible character U+${(unseen[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  const plain = text.normalize('NFKC');
  return THREATS.find(({ pattern }) => pattern.test(plain))?.words;
}
