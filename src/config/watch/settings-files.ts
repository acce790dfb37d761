import fs from 'node:fs'
import path from 'node:path'
import { readSource } from '../loader/seen-sources.ts'

/**
 * The files that determine how imports resolve: the closest `tsconfig.json` of each directory, paths below the root
 * where a closer one could be created, and the files that existing ones extend.
 */
export function settingsFiles(root: string, directories: Iterable<string>): Set<string> {
  const found = new Set<string>()
  for (const directory of new Set(directories)) addNearest(directory, { root, found })
  return found
}

function addNearest(directory: string, { root, found }: { root: string; found: Set<string> }): void {
  const file = path.join(directory, 'tsconfig.json')
  if (fs.existsSync(file)) return addWithBases(file, found)
  const inside = !path.relative(root, directory).startsWith('..')
  if (inside) found.add(file)
  const parent = path.dirname(directory)
  if (parent !== directory) addNearest(parent, { root, found })
}

function addWithBases(file: string, found: Set<string>): void {
  if (found.has(file)) return
  found.add(file)
  for (const base of extendedBy(readSource(file) ?? '')) {
    const target = path.resolve(path.dirname(file), base)
    addWithBases(target.endsWith('.json') ? target : `${target}.json`, found)
  }
}

/** The relative paths in `extends`. Packages do not change while the server runs. */
function extendedBy(source: string): string[] {
  const value = /"extends"\s*:\s*(\[[^\]]*\]|"[^"]*")/.exec(source)?.[1] ?? ''
  return [...value.matchAll(/"(\.[^"]*)"/g)].map(([, target = '']) => target)
}
