import path from 'node:path'

/** Whether a file is in a directory or below it. Both are real paths, absolute. */
export function isInside(directory: string, file: string): boolean {
  const between = path.relative(directory, file)
  return between.split(path.sep)[0] !== '..' && !path.isAbsolute(between)
}

/** Yields the directory and its ancestors, up to the root. */
export function* ancestorDirectories(start: string): Generator<string> {
  for (let directory = path.resolve(start); ; directory = path.dirname(directory)) {
    yield directory
    if (path.dirname(directory) === directory) return
  }
}
