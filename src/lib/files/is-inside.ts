import path from 'node:path'

/** Whether a file is in a directory or below it. Both are real paths, absolute. */
export function isInside(directory: string, file: string): boolean {
  const between = path.relative(directory, file)
  return between.split(path.sep)[0] !== '..' && !path.isAbsolute(between)
}

/** Whether two absolute paths are the same. On Windows, names of drives and files have no case. */
export function isSamePath(a: string, b: string): boolean {
  return path.relative(a, b) === ''
}

/** Yields the directory and its ancestors, up to the root. */
export function* ancestorDirectories(start: string): Generator<string> {
  for (let directory = path.resolve(start); ; directory = path.dirname(directory)) {
    yield directory
    if (path.dirname(directory) === directory) return
  }
}
