/** What a tool's `outputSchema` is checked with: the bounded checks of arguments, so that a server's own patterns cannot hold the app up. */
import type { jsonSchemaValidator } from '@modelcontextprotocol/client';
import { loadCompiler } from '../calls/compile-schema.ts';
import { issueWords } from './listing.ts';

export async function outputChecks(): Promise<jsonSchemaValidator> {
  const compile = await loadCompiler();
  return {
    getValidator: (schema) => {
      const { $schema: _dialect, $id: _id, ...rest } = schema as Record<string, unknown>; // cast: JSON off the wire
      const check = compile(rest);
      return (input) => {
        const errors = check(input) ?? [];
        if (errors.length === 0) return { valid: true, data: input as never, errorMessage: undefined }; // cast: that it is one was just found
        return { valid: false, data: undefined, errorMessage: issueWords(errors.map(({ instancePath, message = 'does not fit' }) => ({ path: instancePath.split('/').slice(1), message }))) };
      };
    },
  };
}
