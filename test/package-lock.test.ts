import { readFileSync } from 'node:fs'
import minVersion from 'semver/ranges/min-version.js'
import satisfies from 'semver/functions/satisfies.js'
import { describe, expect, it } from 'vitest'

interface LockedPackage {
  readonly engines?: { readonly node?: string }
  readonly hasInstallScript?: boolean
  readonly resolved?: string
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))
const { engines, allowScripts } = read('package.json') as {
  engines: { node: string }
  allowScripts: Record<string, boolean>
}
const { packages } = read('package-lock.json') as { packages: Record<string, LockedPackage> }
const locked = Object.entries(packages).filter(([path]) => path !== '')

describe('npm ci', () => {
  it('installs only packages that support the oldest Node of package.json', () => {
    const oldest = minVersion(engines.node)?.version ?? ''
    expect(oldest).toBe('20.19.0')
    const unsupported = locked.filter(
      ([, { engines: needs }]) => needs?.node && !satisfies(oldest, needs.node),
    )
    // a database of many machines needs a later Node
    expect(unsupported.map(([path]) => path)).toEqual(['node_modules/pg-boss'])
  })

  it('finds every install script allowed or denied in package.json', () => {
    const scripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript)
    const names = scripts.map(([path]) => path.replace(/^.*node_modules\//, ''))
    expect(names.filter((name) => allowScripts[name] === undefined)).toEqual([])
  })

  it.each(['package-lock.json', 'site/package-lock.json'])(
    'downloads what is in %s from the registry that the user has configured',
    (file) => {
      const { packages } = read(file) as { packages: Record<string, LockedPackage> }
      const addresses = Object.values(packages).map(({ resolved }) => resolved)
      expect(addresses.filter((address) => address !== undefined)).toEqual([])
    },
  )
})
