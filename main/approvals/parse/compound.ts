/** Compound commands: which of their parts run in which shell, and which may not run at all. */
import type { Case, CompoundCommand, CompoundList, If, TestExpression } from 'unbash';
import type { Place } from './place.ts';
import { noChoices, type WordReader } from './reader.ts';
import { UNKNOWN_VALUE, type Value } from './store.ts';

/** What compound commands need from the walk. */
export interface CompoundWalker {
  readonly words: WordReader;
  list(list: CompoundList, place: Place): void;
  /** Walks what may run any number of times. */
  loop(place: Place, body: () => void): void;
}

export function walkCompound(node: CompoundCommand, place: Place, walker: CompoundWalker): void {
  const { words } = walker;
  const { scope } = place;
  switch (node.type) {
    case 'Subshell':
      scope.isolated(() => {
        walker.list(node.body, place);
      });
      break;
    case 'BraceGroup':
      walker.list(node.body, place);
      break;
    case 'If':
      branches(node, 0, place, walker);
      break;
    case 'While':
      walker.loop(place, () => {
        walker.list(node.clause, place);
        const after = { positional: scope.positional };
        scope.alternatives([
          () => {
            walker.list(node.body, place);
            after.positional = scope.positional;
          },
        ], true);
        // The next round begins with what this one left of the arguments.
        scope.positional = after.positional;
      });
      break;
    case 'For':
    case 'Select': {
      const fields = (node.wordlist ?? []).flatMap((word) => words.expandOnce(word, place));
      const values: Value[] = fields.map((field) => ({ text: field.text, substitutions: field.substitutions }));
      if (node.wordlist === undefined) values.push(...(scope.positional ?? [UNKNOWN_VALUE]));
      walker.loop(place, () => {
        scope.assign(node.name.value, values);
        walker.list(node.body, place);
      });
      break;
    }
    case 'ArithmeticFor': {
      const expander = words.expander(place, noChoices());
      for (const expression of [node.initialize, node.test, node.update]) expander.arithmetic(expression);
      walker.loop(place, () => {
        walker.list(node.body, place);
      });
      break;
    }
    case 'Case':
      cases(node, place, walker);
      break;
    case 'TestCommand':
      test(node.expression, place, words);
      break;
    case 'ArithmeticCommand':
      words.expander(place, noChoices()).arithmetic(node.expression);
      break;
  }
}

/** From the `elif` of this number on: its condition runs for sure, then either its branch or what follows. */
function branches(node: If, index: number, place: Place, walker: CompoundWalker): void {
  const current = index === 0 ? node : node.elif[index - 1];
  if (current === undefined) {
    if (node.else !== undefined) walker.list(node.else, place);
    return;
  }
  walker.list(current.clause, place);
  place.scope.alternatives([
    () => {
      walker.list(current.then, place);
    },
    () => {
      branches(node, index + 1, place, walker);
    },
  ], false);
}

function cases(node: Case, place: Place, walker: CompoundWalker): void {
  walker.words.expandSingle(node.word, place);
  for (const item of node.items) for (const pattern of item.pattern) walker.words.expandSingle(pattern, place);
  // `;&` and `;;&` let one body run on into the next: such bodies make a group.
  const groups: CompoundList[][] = [];
  for (const [index, item] of node.items.entries()) {
    const before = node.items[index - 1]?.terminator;
    if (before === ';&' || before === ';;&') groups.at(-1)?.push(item.body);
    else groups.push([item.body]);
  }
  const isTotal = node.items.some((item) => item.pattern.some((pattern) => pattern.text === '*'));
  const walks = groups.map((bodies) => () => {
    for (const body of bodies) {
      place.scope.alternatives([
        () => {
          walker.list(body, place);
        },
      ], bodies.length > 1);
    }
  });
  place.scope.alternatives(walks, !isTotal);
}

function test(expression: TestExpression, place: Place, words: WordReader): void {
  switch (expression.type) {
    case 'TestUnary':
      words.expandSingle(expression.operand, place);
      break;
    case 'TestBinary':
      words.expandSingle(expression.left, place);
      words.expandSingle(expression.right, place);
      break;
    case 'TestLogical':
      for (const operand of expression.operands) test(operand, place, words);
      break;
    case 'TestNot':
      test(expression.operand, place, words);
      break;
    case 'TestGroup':
      test(expression.expression, place, words);
      break;
  }
}
