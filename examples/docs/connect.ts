/** A stand-in for a database driver. */
export interface Pool {
  readonly url: string
  refresh(): void
  close(): Promise<void>
}

export function connect(url: string): Pool {
  return { url, refresh: () => undefined, close: () => Promise.resolve() }
}
