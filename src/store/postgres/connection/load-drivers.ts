import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type pg from 'pg'
import satisfies from 'semver/functions/satisfies.js'
import { AppError } from '../../../lib/errors.ts'
import { addCommand } from '../../../lib/packages/package-manager.ts'
import { OWN_PACKAGE } from '../../../lib/packages/own-package.ts'
import type { BossPackage } from '../dispatch/create-boss.ts'
import type { PgPackage } from './postgres-databases.ts'

/** The packages that Postgres needs: pg, which is an optional peer of this one, and pg-boss, which is part of it. */
export interface Drivers {
  readonly pg: PgPackage
  readonly pgBoss: BossPackage
}

interface LoadDriversOptions {
  /** The version of Node. */
  readonly node?: string
  /** The module in whose place pg is looked for when the project does not have it. */
  readonly besides?: string
}

const NODE_RANGE = '>=22.12'

/**
 * Loads the packages that Postgres needs: pg of the project, otherwise one installed next to this package.
 *
 * @throws AppError `invalid_config` when pg is missing or of another version, with the command that installs it, and
 * when this version of Node can't run pg-boss.
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
  const [pgPackage, pgBoss] = await Promise.all([import(await findPg(root, besides)), import('pg-boss')])
  const { default: driver } = pgPackage as { default: typeof pg }
  return { pg: driver, pgBoss }
}

/** The URL of pg's main module, in a version that this package supports. */
async function findPg(root: string, besides: string): Promise<string> {
  const { pg: range } = OWN_PACKAGE.peerDependencies
  const found = [path.join(root, 'package.json'), besides].flatMap((place) => locatePg(createRequire(place)))
  const supported = found.find(({ version }) => satisfies(version, range))
  if (supported) return pathToFileURL(supported.file).href
  const state = found[0] ? `is ${found[0].version}; this release supports ${range}` : 'is not installed'
  throw new AppError('invalid_config', `The package "pg", which a Postgres database needs, ${state}`, {
    hint: `Run ${await addCommand(root, 'pg')}`,
  })
}

function locatePg(require: NodeJS.Require): { file: string; version: string }[] {
  try {
    const { version } = require('pg/package.json') as { version: string }
    return [{ file: require.resolve('pg'), version }]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return []
    throw error
  }
}
