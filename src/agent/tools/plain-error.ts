/**
 * Rethrows an error so that its text is its message in all versions of the AI SDK: version 7 makes the tool result of
 * `toString()`, which has the name as well.
 */
export function throwPlain(error: unknown): never {
  if (error instanceof Error && Object.isExtensible(error))
    Object.defineProperty(error, 'toString', { value: () => error.message, configurable: true })
  throw error
}
