import { describe, expect, test } from 'vitest';
import { closestSections, findMatches } from '../../../tools/shared/match.ts';
import { replaceMatches } from '../../../tools/shared/replace.ts';

function edit(text: string, oldString: string, newString: string): { text?: string; strategy?: string; refused?: string; places?: number } {
  const match = findMatches(text, oldString);
  if (match === undefined) return {};
  const replaced = replaceMatches(text, match, newString);
  return 'refused' in replaced
    ? { strategy: match.strategy, refused: replaced.refused }
    : { strategy: match.strategy, text: replaced.text, places: match.ranges.length };
}

const python = ['def greet(name):', '    if name:', '        print("hello", name)', '    return name', ''].join('\n');

describe('the match chain', () => {
  test('exact text wins and leaves everything else byte for byte', () => {
    expect(edit(python, '    return name', '    return name.title()')).toEqual({ strategy: 'exact', places: 1, text: python.replace('return name', 'return name.title()') });
  });

  test('trailing blanks and wrong indentation match by line, and the new lines get the indentation of the file', () => {
    const result = edit(python, 'if name:  \n  print("hello", name)', 'if name is not None:\n  print("hello", name)\n  log(name)');
    expect(result.strategy).toBe('line-trimmed');
    expect(result.text).toBe(['def greet(name):', '    if name is not None:', '        print("hello", name)', '        log(name)', '    return name', ''].join('\n'));
  });

  test('spaces of the model become the tabs of the file', () => {
    const go = 'func main() {\n\tif ok {\n\t\trun()\n\t}\n}\n';
    const result = edit(go, 'if ok {\n    run()\n}', 'if ok {\n    run()\n    if more {\n        again()\n    }\n}');
    expect(result.text).toBe('func main() {\n\tif ok {\n\t\trun()\n\t\tif more {\n\t\t\tagain()\n\t\t}\n\t}\n}\n');
  });

  test('runs of blanks inside a line are taken as one', () => {
    expect(edit('const  a   = 1;\nconst b = 2;\n', 'const a = 1;', 'const a = 3;').text).toBe('const a = 3;\nconst b = 2;\n');
  });

  test('an escape written out is resolved in both texts', () => {
    const result = edit('a\n\tb\nc\n', 'a\\n\\tb', 'a\\n\\tB');
    expect(result).toEqual({ strategy: 'escape-normalised', places: 1, text: 'a\n\tB\nc\n' });
  });

  test('curly quotes of the file stay where the edit did not touch them', () => {
    const result = edit('say “hello” to – me\n', 'say "hello" to - me', 'say "hello" to - you');
    expect(result).toEqual({ strategy: 'unicode-normalised', places: 1, text: 'say “hello” to – you\n' });
  });

  test('CRLF files stay CRLF, also in the lines that are new', () => {
    expect(edit('a\r\nb\r\nc\r\n', 'a\nb', 'a\nx\nb').text).toBe('a\r\nx\r\nb\r\nc\r\n');
    expect(edit('a\r\n  b\r\nc\r\n', ' a\n b', ' a\n x').text).toBe('a\r\n  x\r\nc\r\n');
  });

  test('a likeness match keeps the lines of the file and changes only what was quoted exactly', () => {
    const text = 'function f() {\n  const total = sum(items, tax);\n  return total;\n}\n';
    const result = edit(text, 'function f() {\n  const total = sum(items);\n  return total;\n}', 'function f() {\n  const total = sum(items);\n  return total * 2;\n}');
    expect(result.text).toBe('function f() {\n  const total = sum(items, tax);\n  return total * 2;\n}\n');
  });

  test('a likeness match is refused when a line that would change is not as quoted', () => {
    const text = 'function f() {\n  const total = sum(items, tax);\n  return total;\n}\n';
    const result = edit(text, 'function f() {\n  const total = sum(items);\n  return total;\n}', 'function f() {\n  const total = sum(things);\n  return total;\n}');
    expect(result.refused).toContain('sum(items, tax)');
    expect(result.text).toBeUndefined();
  });

  test('quotes escaped once too often in both texts are refused instead of being written', () => {
    const result = edit('print("a")\nprint("b")\n', 'print(\\"a\\")', 'print(\\"z\\")');
    expect(result.refused).toContain('\\"');
  });

  test('lines that are replaced by nothing go with their line end', () => {
    expect(edit('a\n  b\nc\n', 'b ', '').text).toBe('a\nc\n');
  });

  test('a dollar sign in the new text is only a dollar sign', () => {
    expect(edit('x = 1\n', 'x = 1', "x = '$& $1 $$'").text).toBe("x = '$& $1 $$'\n");
  });

  test('text that is nowhere near matches nothing, and the closest sections are named with their lines', () => {
    expect(findMatches(python, 'class Foo:\n    pass')).toBeUndefined();
    expect(closestSections(python, 'def greet(nam):')[0]).toMatch(/^L1: def greet/);
  });
});
