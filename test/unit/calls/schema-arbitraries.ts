/** Random schemas of every form that the checks of arguments read, and values for them. */
import fc from 'fast-check';
import type { SchemaNode } from '../../../main/calls/schema-shape.ts';

const leaf = fc.constantFrom<SchemaNode>(
  { type: 'integer' }, { type: 'number', minimum: 2 }, { type: 'boolean' }, { type: 'string', minLength: 2 }, { type: ['integer', 'null'] }, { enum: ['a', 1, null] }, { enum: [1, 2] }, { const: 'a' }, { const: true },
  { $ref: '#/$defs/any' }, { type: 'number', multipleOf: 2 }, { type: 'string', pattern: '^a' }, {},
);

/** Its references lead to `#/$defs/any`, which the test defines. */
export const anySchema: fc.Arbitrary<SchemaNode> = fc.letrec<{ node: SchemaNode }>((tie) => ({
  node: fc.oneof({ depthSize: 'small' }, leaf,
    fc.record({ type: fc.constant('array'), items: tie('node'), maxItems: fc.constant(2) }),
    fc.record({ type: fc.constant('array'), prefixItems: fc.tuple(tie('node')), items: tie('node'), uniqueItems: fc.boolean() }),
    fc.record({ properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('node')), required: fc.constantFrom([], ['a'], ['a', 'b']), additionalProperties: fc.oneof(fc.boolean(), tie('node')) }),
    fc.record({ anyOf: fc.tuple(tie('node'), tie('node')) }), fc.record({ oneOf: fc.tuple(tie('node'), tie('node')) }), fc.record({ allOf: fc.tuple(tie('node'), tie('node')) }),
    fc.record({ not: tie('node') }), fc.record({ if: tie('node'), then: tie('node'), else: tie('node') }),
  ),
})).node;

export const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }), fc.constantFrom<unknown>('a', 'abc', '5', 'true', 'null', '["1"]', '{"a":"1"}', 1, 2, 4, null, true, [], [1], ['1'], ['a', 'a'], { a: 1 }, { a: '1', b: 2 }, { c: 1 }),
);
