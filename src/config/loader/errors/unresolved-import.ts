import { builtinModules } from 'node:module'
import path from 'node:path'
import { misspelledWords } from '../../../lib/did-you-mean.ts'
import { similarFile } from '../../../lib/files/similar-file.ts'
import { declaredPackages } from '../../../lib/packages/declared-packages.ts'
import { specifierPosition } from './import-site.ts'
import { loadErrorAt, projectRelative } from './load-error.ts'
import type { LoadError } from './load-error.ts'

export interface UnresolvedImport {
  /** The project's directory. */
  readonly root: string
  /** The file with the import, absolute. */
  readonly file: string
  readonly source: string
  readonly specifier: string
  readonly cause: Error
}

/** The error for an import that does not resolve, with its position and a similar file or package. */
export function unresolvedImport({ root, file, source, specifier, cause }: UnresolvedImport): LoadError {
  const place = { root, file, source, position: specifierPosition(source, specifier) }
  const isPackage = /^(?:@[^/]+\/)?[\w-][^:]*$/.test(specifier)
  const missing = cause.message.startsWith('Cannot find module')
  const from = projectRelative(root, file)
  const hint = missing ? hintFor(specifier, { file, isPackage }) : undefined
  return loadErrorAt(place, {
    name: 'ResolveError',
    message: missing
      ? `Cannot find ${isPackage ? 'package' : 'module'} '${specifier}' imported from ${from}`
      : `Cannot resolve '${specifier}' imported from ${from}: ${cause.message.replaceAll(root, '.')}`,
    cause,
    ...(hint === undefined ? {} : { hint }),
  })
}

function hintFor(
  specifier: string,
  { file, isPackage }: { file: string; isPackage: boolean },
): string | undefined {
  const directory = path.dirname(file)
  if (isPackage) {
    const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
    // a name with a typing error may be somebody else's package, which nobody should install
    const [similar] = misspelledWords(name, [
      'agentserver',
      ...declaredPackages(directory),
      ...builtinModules,
    ])
    return similar === undefined || similar === name
      ? `Install it: npm install ${name}`
      : `Did you mean "${similar}${specifier.slice(name.length)}"?`
  }
  if (!specifier.startsWith('.')) return undefined
  const similar = similarFile(path.resolve(directory, specifier))
  if (similar === undefined) return undefined
  const near = path.relative(directory, similar).split(path.sep).join('/')
  return `Did you mean "${near.startsWith('.') ? near : `./${near}`}"?`
}
