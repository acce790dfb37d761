/** Returns a function that calls `create` on first use and caches the result. If `create` throws, the next use calls it again. */
export function lazy<T>(create: () => T): () => T {
  let cached: { readonly value: T } | undefined
  return () => (cached ??= { value: create() }).value
}
