/** The form of every built-in tool, held against the schema that its arguments are checked by. */
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { ArgumentValidator } from '../../../../main/calls/validate.ts';
import { silentLog } from '../../../../main/log.ts';
import { argumentsOf, fieldsOf, type TryField } from '../../../../renderer/features/toolsets/try-model.ts';
import { discoverBuiltinTools } from '../../../../tools/discovery.ts';
import { registry } from '../../../../tools/registry.ts';

const validator = new ArgumentValidator(silentLog);
beforeAll(async () => {
  await validator.warm();
  await discoverBuiltinTools(fileURLToPath(new URL('../../../../tools/', import.meta.url)));
});

interface Bounds { readonly minimum?: number; readonly maximum?: number }
const within = ({ minimum, maximum }: Bounds): number => minimum ?? Math.min(5, maximum ?? 5);

/** What a person could type into a field. */
function filled({ name, kind, options, shape, initial }: TryField, parameters: object): string {
  switch (kind) {
    case 'text': return 'words';
    case 'number': return String(within((parameters as { properties: Record<string, Bounds> }).properties[name] ?? {})); // a field is made of a property
    case 'boolean': return 'true';
    case 'choice': return initial === '' ? options[0] ?? '' : initial;
    case 'lines': return 'one\ntwo';
    case 'json': return shape === 'JSON' ? '"anything"' : shape;
  }
}

test('each property of each tool has a field, and what is filled in by its shape passes the check of the arguments', () => {
  const names = registry.getAllToolNames();
  expect(names.length).toBeGreaterThan(40);
  const faults: unknown[] = [];
  for (const name of names) {
    const parameters = registry.getEntry(name)?.schema.parameters ?? {};
    const fields = fieldsOf(parameters);
    expect(fields.map((field) => field.name).sort(), name).toEqual(Object.keys((parameters as { properties?: object }).properties ?? {}).sort());
    const read = argumentsOf(fields, Object.fromEntries(fields.map((field) => [field.name, filled(field, parameters)])));
    if (read.kind === 'bad') faults.push([name, read.problems]);
    else faults.push(...validator.check(name, read.args, parameters).map((problem) => [name, problem]));
  }
  expect(faults).toEqual([]);
});
