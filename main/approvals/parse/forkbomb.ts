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
  let left = MAX_NODES;
  let bomb = false;
  const isSelf = (child: SyntaxNode): boolean => child.type === 'Command' && child.name?.value === name;
  const visit = (child: SyntaxNode): void => {
    if (bomb || left-- <= 0) return;
    if (child.type === 'Pipeline' && child.commands.filter(isSelf).length >= 2) bomb = true;
    if (child.type === 'Statement' && child.background === true) {
      const { command } = child;
      if (isSelf(command) || (command.type === 'Pipeline' && command.commands.some(isSelf))) bomb = true;
    }
    forEachChild(child, visit);
  };
  forEachChild(node, visit);
  return bomb ? 'bomb' : 'none';
}
