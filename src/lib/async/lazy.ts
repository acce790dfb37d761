/** Calls `make` on first use and keeps what it returned; a `make` that threw is called again. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
