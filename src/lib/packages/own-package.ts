import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

interface OwnPackage {
  readonly version: string
  readonly engines: { readonly node: string }
  readonly peerDependencies: Readonly<Record<'ai' | 'pg' | '@ai-sdk/anthropic' | '@ai-sdk/google', string>>
}

const require = createRequire(import.meta.url)
// by its name: the build puts this module into a file at another depth
const manifest = require.resolve('agentserver/package.json')

/** This package's package.json. */
export const OWN_PACKAGE = require(manifest) as OwnPackage

/** The version of this package. */
export const VERSION = OWN_PACKAGE.version

/** The directory of this package. */
export const HOME = path.dirname(manifest)

/** The directory of this package's code: `dist`, or `src` in its own tests. */
export const OWN_CODE = path.join(HOME, codeFolder())

function codeFolder(): string {
  const [folder = ''] = path.relative(HOME, fileURLToPath(import.meta.url)).split(path.sep)
  return folder
}
