import fs from 'node:fs'
import path from 'node:path'
import { didYouMean } from '../did-you-mean.ts'
import { ancestorDirectories } from './is-inside.ts'

/** An existing file or directory whose path differs from a missing one in one similar name. Undefined if there is none. */
export function similarFile(missing: string): string | undefined {
  const directory =
    [...ancestorDirectories(path.dirname(missing))].find((place) => fs.existsSync(place)) ?? '.'
  const [name = '', ...below] = path.relative(directory, path.resolve(missing)).split(path.sep)
  const similar = didYouMean(name, namesIn(directory))
  const found = similar === undefined ? undefined : path.join(directory, similar, ...below)
  return found !== undefined && fs.existsSync(found) ? found : undefined
}

/** Empty for a file, and for a directory that may not be read. */
function namesIn(directory: string): string[] {
  try {
    return fs.readdirSync(directory)
  } catch {
    // there is nothing to suggest
    return []
  }
}
