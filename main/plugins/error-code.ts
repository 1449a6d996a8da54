/** The `code` that Node puts on its errors; undefined for anything else. */
export function parseErrorCode(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
