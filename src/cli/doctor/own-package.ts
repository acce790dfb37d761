import { createRequire } from 'node:module'

interface OwnPackage {
  readonly version: string
  readonly engines: { readonly node: string }
  readonly peerDependencies: Readonly<Record<string, string>>
}

/** This package's own package.json. */
export function ownPackage(): OwnPackage {
  return createRequire(import.meta.url)('../../../package.json') as OwnPackage
}
