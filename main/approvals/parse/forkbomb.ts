/** Recognises a function that multiplies itself. */
import { type Function as FunctionNode, forEachChild, type SyntaxNode } from 'unbash';

/** Nodes looked at in one function body; a bomb is short. */
const MAX_NODES = 500;

/**
 * `bomb` when the function starts itself at least twice in one pipeline, or starts itself in the background:
 * then each call makes more than one new process and nothing ends.
 */
export function selfCalls(node: FunctionNode): 'bomb' | 'none' {
  const name = node.name.value;
  const waiting: SyntaxNode[] = [node];
  for (let looked = 0; looked < MAX_NODES; looked++) {
    const child = waiting.pop();
    if (child === undefined) break;
    if (multiplies(child, name)) return 'bomb';
    forEachChild(child, (inner) => {
      waiting.push(inner);
    });
  }
  return 'none';
}

function multiplies(node: SyntaxNode, name: string): boolean {
  const isSelf = (child: SyntaxNode): boolean => child.type === 'Command' && child.name?.value === name;
  if (node.type === 'Pipeline') return node.commands.filter(isSelf).length >= 2;
  if (node.type !== 'Statement' || node.background !== true) return false;
  return isSelf(node.command) || (node.command.type === 'Pipeline' && node.command.commands.some(isSelf));
}

/** Text that no shell needs to look at further; a bomb is short. */
const MAX_CRAMPED_CHARS = 2000;

/** `:(){:|:&};:` without a blank after the brace: bash does not read it, zsh does. Only for text that did not parse. */
export function crampedBomb(text: string): { from: number; to: number } | undefined {
  if (text.length > MAX_CRAMPED_CHARS) return undefined;
  const match = /(?:^|[;&|\n(])[ \t]*([\w:.@%]{1,64})\s*\(\s*\)\s*\{\s*\1\s*\|\s*\1\s*&\s*\}\s*[;\n]\s*\1(?![\w:.@%])/.exec(text);
  return match === null ? undefined : { from: match.index, to: match.index + match[0].length };
}
