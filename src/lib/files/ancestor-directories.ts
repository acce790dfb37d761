import path from 'node:path'

/** The directory and those above it. */
export function* ancestorDirectories(start: string): Generator<string> {
  for (let directory = path.resolve(start); ; directory = path.dirname(directory)) {
    yield directory
    if (path.dirname(directory) === directory) return
  }
}
