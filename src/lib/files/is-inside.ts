import path from 'node:path'

/** Whether a file is in a directory or below it. Both are real paths, absolute. */
export function isInside(directory: string, file: string): boolean {
  const between = path.relative(directory, file)
  return between.split(path.sep)[0] !== '..' && !path.isAbsolute(between)
}
