/** The commands of a shell line, as the parser sees them: words in quotes and here-documents are not commands. */
import { parse, type Command, type ParsedScript, type Statement } from 'unbash';

/** Walking deeply nested substitutions of a longer text takes seconds (libraries.md §3); such a line gets no guidance, only approval. */
const MAX_CHARS = 64 * 1024;

/** Undefined when the line is too long or has syntax errors: then nothing is known about it. */
export function parseLine(line: string): ParsedScript | undefined {
  if (line.length > MAX_CHARS) return undefined;
  const script = parse(line);
  return script.errors === undefined || script.errors.length === 0 ? script : undefined;
}

/** Words of a simple command after quote removal, without assignments in front. Empty for a bare assignment. */
export function argv(command: Command): string[] {
  if (command.name === undefined) return [];
  return [command.name.value, ...command.suffix.flatMap((item) => (item.type === 'Word' ? [item.value] : item.type === 'Assignment' ? [item.text] : []))];
}

export function basename(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}

type Node = Statement['command'] | Statement | Command;

/** Simple commands that run when the line runs, in order; bodies of loops, groups and subshells included. */
export function simpleCommands(statements: readonly Statement[]): Command[] {
  const found: Command[] = [];
  const visit = (node: Node | { readonly type: string }): void => {
    switch (node.type) {
      case 'Command': found.push(node as Command); return; // narrowed by `type`, which the union of node kinds cannot express here
      case 'Statement': visit((node as Statement).command); return; // as above
      default:
        for (const value of Object.values(node)) {
          if (Array.isArray(value)) for (const item of value) { if (isNode(item)) visit(item); } else if (isNode(value)) visit(value);
        }
    }
  };
  for (const statement of statements) visit(statement);
  return found;
}

const COMMAND_HOLDERS = new Set([
  'Statement', 'Command', 'Pipeline', 'AndOr', 'Redirected', 'If', 'Elif', 'For', 'ArithmeticFor', 'Select', 'While', 'Subshell', 'BraceGroup', 'Case', 'CaseItem', 'CompoundList', 'Coproc',
]);

function isNode(value: unknown): value is { readonly type: string } {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && COMMAND_HOLDERS.has(value.type);
}

/** Statements that the shell puts into the background (`&`), wherever they stand. */
export function hasBackgroundStatement(statements: readonly Statement[]): boolean {
  let found = false;
  const visit = (node: { readonly type: string }): void => {
    if (node.type === 'Statement' && (node as Statement).background === true) found = true; // narrowed by `type`
    for (const value of Object.values(node)) {
      if (Array.isArray(value)) for (const item of value) { if (isNode(item)) visit(item); } else if (isNode(value)) visit(value);
    }
  };
  for (const statement of statements) visit(statement);
  return found;
}
