import path from 'node:path'

/** Yields the directory and its ancestors, up to the root. */
export function* ancestorDirectories(start: string): Generator<string> {
  for (let directory = path.resolve(start); ; directory = path.dirname(directory)) {
    yield directory
    if (path.dirname(directory) === directory) return
  }
}
