import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type pg from 'pg'
import satisfies from 'semver/functions/satisfies.js'
import { AppError } from '../../../lib/errors.ts'
import { addCommand } from '../../../lib/packages/package-manager.ts'
import type { BossPackage } from '../dispatch/create-boss.ts'
import type { PgPackage } from './postgres-databases.ts'

/** The packages that Postgres needs. They are optional peers of this one. */
export interface Drivers {
  readonly pg: PgPackage
  readonly pgBoss: BossPackage
}

interface LoadDriversOptions {
  /** The version of Node. */
  readonly node?: string
  /** The module in whose place packages are looked for that the project does not have. */
  readonly besides?: string
}

const NODE_RANGE = '>=22.12'

const { peerDependencies } = createRequire(import.meta.url)('../../../../package.json') as {
  peerDependencies: { pg: string; 'pg-boss': string }
}

/**
 * Loads the packages that Postgres needs: those of the project, otherwise those installed next to this one.
 *
 * @throws AppError `invalid_config` when one is missing or of another version, with the command that installs both, and
 * when this version of Node can't run them.
 */
export async function loadDrivers(
  root: string,
  { node = process.versions.node, besides = import.meta.url }: LoadDriversOptions = {},
): Promise<Drivers> {
  if (!satisfies(node, NODE_RANGE, { includePrerelease: true }))
    throw new AppError(
      'invalid_config',
      `Node ${node} does not support a Postgres database: it needs Node 22.12`,
      {
        hint: 'Update Node.js, or use a database "file:…"',
      },
    )
  const pgFile = await find('pg', root, besides)
  const bossFile = await find('pg-boss', root, besides)
  const [{ default: driver }, pgBoss] = (await Promise.all([import(pgFile), import(bossFile)])) as [
    { default: typeof pg },
    BossPackage,
  ]
  return { pg: driver, pgBoss }
}

/** The URL of a package's main module, in a version that this package supports. */
async function find(name: keyof typeof peerDependencies, root: string, besides: string): Promise<string> {
  const range = peerDependencies[name]
  const found = [path.join(root, 'package.json'), besides].flatMap((place) =>
    locate(name, createRequire(place)),
  )
  const supported = found.find(({ version }) => satisfies(version, range))
  if (supported) return pathToFileURL(supported.file).href
  const state = found[0] ? `is ${found[0].version}; this release supports ${range}` : 'is not installed'
  const install = await addCommand(root, 'pg', `pg-boss@${peerDependencies['pg-boss']}`)
  throw new AppError('invalid_config', `The package "${name}", which a Postgres database needs, ${state}`, {
    hint: `Run ${install}`,
  })
}

function locate(name: string, require: NodeJS.Require): { file: string; version: string }[] {
  try {
    const { version } = require(`${name}/package.json`) as { version: string }
    return [{ file: require.resolve(name), version }]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return []
    throw error
  }
}
