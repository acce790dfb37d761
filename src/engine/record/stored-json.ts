/** Reads JSON of the database. A damaged text must not make everything else unreadable: it gives `instead`. */
export function storedJson<T = unknown>(text: string, instead: T): T {
  try {
    return JSON.parse(text) as T
  } catch {
    // whoever looks at the record sees the stand-in
    return instead
  }
}
