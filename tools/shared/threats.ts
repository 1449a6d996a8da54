/** What must not get into text that an agent obeys later, unseen by the person: memory, scheduled prompts. Pure. */

interface Threat { readonly id: string; readonly pattern: RegExp }

/** Sentences that try to steer an agent, and commands that carry secrets away. */
const THREATS: readonly Threat[] = [
  { id: 'prompt_injection', pattern: /\b(?:ignore|disregard|forget|override)\s+(?:\w+\s+){0,3}(?:previous|prior|above|earlier|all|any|your|the)\s+(?:\w+\s+){0,2}(?:instructions?|rules?|prompts?|guidelines?|directives?)\b/i },
  { id: 'role_hijack', pattern: /\byou\s+are\s+now\s+(?:a|an|the|in|no\s+longer)\b|\bact\s+as\s+(?:if|though)\s+you\s+(?:have\s+no|are\s+not)\b/i },
  { id: 'role_tag', pattern: /<\/?(?:system|assistant|tool_call|function_call|user)(?:\s[^<>]*)?>|\[\/?INST\]|<\|im_(?:start|end)\|>/i },
  { id: 'deception', pattern: /\b(?:do\s+not|don't|never)\s+(?:tell|inform|mention\s+(?:this\s+|it\s+)?to|reveal\s+(?:this\s+|it\s+)?to)\s+(?:the\s+)?(?:user|person|human|operator)\b/i },
  { id: 'system_prompt_override', pattern: /\b(?:system\s+prompt\s+(?:override|injection)|new\s+system\s+prompt)\b/i },
  { id: 'exfiltration', pattern: /\b(?:curl|wget|nc|ncat|fetch|invoke-webrequest)\b[^\n]*\$\{?\w*(?:key|token|secret|passw(?:or)?d|credential|api)\w*/i },
  { id: 'secret_file', pattern: /\b(?:cat|less|head|tail|cp|scp|base64|curl|wget|nc)\b[^\n]*(?:\.env\b|\.netrc\b|\.pgpass\b|\.npmrc\b|\.pypirc\b|\.aws\/credentials|\bid_(?:rsa|ed25519|ecdsa)\b|\/etc\/shadow)/i },
  { id: 'ssh_access', pattern: /authorized_keys|(?:>>?|\btee\b)[^\n]*\.ssh\//i },
];

/** Zero-width, bidirectional and tag characters: text that a person does not see. Joiners are looked at apart. */
const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/u;
/** Joiners that writing systems and emoji need, right between their letters. */
const JOINER_IN_PLACE = /(?<=[\p{L}\p{M}\p{Emoji}\ufe0f])[\u200c\u200d](?=[\p{L}\p{M}\p{Emoji}])/gu;

/** In words, or undefined for harmless text. */
export function findThreat(text: string): string | undefined {
  const hidden = INVISIBLE.exec(text);
  if (hidden !== null) return `invisible character U+${(hidden[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  if (/[\u200c\u200d]/.test(text.replaceAll(JOINER_IN_PLACE, ''))) return 'an invisible joiner between letters that need none';
  const plain = text.normalize('NFKC');
  return THREATS.find(({ pattern }) => pattern.test(plain))?.id;
}
