import fc from 'fast-check';
import Sqlite from 'better-sqlite3';
import { afterAll, describe, expect, test } from 'vitest';
import { parseQuery, piecesExpression, wordsExpression } from '../../../main/storage/query.ts';

const words = (input: string): string | undefined => {
  const query = parseQuery(input);
  return query === undefined ? undefined : wordsExpression(query);
};

test.each([
  ['docker compose', '"docker" AND "compose"'],
  ['docker OR podman', '"docker" OR "podman"'],
  ['docker NOT compose', '"docker" NOT "compose"'],
  ['docker AND NOT compose', '"docker" NOT "compose"'],
  ['"exact words" rest', '"exact words" AND "rest"'],
  ['"open quote', '"open quote"'],
  ['dock*', '"dock" *'],
  ['rate-limit', '"rate-limit"'],
  ['AND docker OR', '"docker"'],
  ['NOT docker', '"docker"'],
  ['OR', undefined],
  ['()', undefined],
  ['(docker) AND', '"docker"'],
  ['col:umn ^first', '"col:umn" AND "^first"'],
  ['and or not', '"and" AND "or" AND "not"'],
  ['a"b"c', '"a" AND "b" AND "c"'],
  ['*', undefined],
  ['', undefined],
])('%j is looked up as %j', (input, expression) => {
  expect(words(input)).toBe(expression);
});

test('a word too short for the index by pieces is looked up by the pieces that start with it', () => {
  const query = parseQuery('数据 docker');
  expect(query === undefined ? '' : piecesExpression(query, () => ['数据库', '数据"'])).toBe('("数据库" OR "数据""") AND "docker"');
  expect(query === undefined ? '' : piecesExpression(query)).toBeUndefined();
});

describe('any text at all', () => {
  const database = new Sqlite(':memory:');
  database.exec('CREATE VIRTUAL TABLE words USING fts5(text, tokenize="unicode61"); CREATE VIRTUAL TABLE pieces USING fts5(text, tokenize="trigram");');
  const inWords = database.prepare('SELECT rowid FROM words WHERE words MATCH ?');
  const inPieces = database.prepare('SELECT rowid FROM pieces WHERE pieces MATCH ?');
  afterAll(() => { database.close(); });

  test('makes a query that SQLite accepts', () => {
    const piece = fc.oneof(fc.constantFrom('AND', 'OR', 'NOT', 'NEAR', '"', '(', ')', '*', '-', '^', ':', '+', ' ', '数', '\0', "'"), fc.string({ unit: 'binary', maxLength: 4 }));
    fc.assert(fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const query = parseQuery(pieces.join(''));
      if (query === undefined) return;
      expect(inWords.all(wordsExpression(query, true))).toEqual([]);
      expect(inPieces.all(piecesExpression(query, () => []) ?? '""')).toEqual([]);
    }), { numRuns: 2_000 });
  });
});
