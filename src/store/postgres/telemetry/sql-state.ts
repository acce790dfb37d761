/** The code of an error of Postgres. */
export function sqlState(error: unknown): unknown {
  return (error as { readonly code?: unknown } | null)?.code
}
