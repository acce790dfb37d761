import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { AppError, messageOf } from '../../lib/errors.ts'
import { ancestorDirectories } from '../../lib/files/is-inside.ts'
import { HOME, VERSION } from '../../lib/packages/own-package.ts'
import { commandFailed, commandRunner } from '../../updates/run-command.ts'

/** The dependency of a project on agentserver. */
export interface OwnDependency {
  /** A version range, or `file:./` and the name of the tarball. */
  readonly range: string
  /** The file that is put into the project, so that it can be moved. */
  readonly tarball?: { readonly name: string; readonly bytes: Uint8Array }
}

interface OwnDependencyOptions {
  /** A version or a .tgz file, instead of the agentserver that runs. */
  readonly source?: string | undefined
  /** The directory of this package. */
  readonly home?: string
}

/**
 * The dependency of a project on the agentserver that runs: a version of the registry, or the tarball that it was
 * installed from, or that is packed from the clone that it runs in.
 *
 * @throws AppError `invalid_input` for a `source` that can't be read; `install_failed` if packing fails.
 */
export async function ownDependency({
  source,
  home = HOME,
}: OwnDependencyOptions = {}): Promise<OwnDependency> {
  if (source !== undefined)
    return source.endsWith('.tgz') ? tarballIn(path.resolve(source)) : { range: source }
  if (!home.split(path.sep).includes('node_modules')) {
    const clone = cloneOf(home)
    if (clone !== undefined) return packed(clone)
  }
  const tarball = tarballOf(home)
  return tarball === undefined ? { range: `^${VERSION}` } : tarballIn(tarball)
}

/** The clone that a directory is in: this package is the clone itself, or `create-agentserver` in it. */
function cloneOf(home: string): string | undefined {
  const above = [...ancestorDirectories(home)]
  return above.find((directory) => readJson(path.join(directory, 'package.json'))['name'] === 'agentserver')
}

const PACK_TIMEOUT_MS = 2 * 60_000

/** Packs a built clone as `npm publish` does. */
async function packed(clone: string): Promise<OwnDependency> {
  const directory = path.join(os.tmpdir(), `agentserver-pack-${randomUUID()}`)
  fs.mkdirSync(directory)
  try {
    const run = commandRunner({ cwd: clone, timeoutMs: PACK_TIMEOUT_MS })
    const result = await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', directory])
    if (result.exitCode !== 0) throw commandFailed('npm failed to pack agentserver', result)
    const [name = ''] = fs.readdirSync(directory)
    return tarballIn(path.join(directory, name))
  } finally {
    fs.rmSync(directory, { recursive: true, force: true })
  }
}

function tarballIn(file: string): OwnDependency {
  try {
    const name = path.basename(file)
    return { range: `file:./${name}`, tarball: { name, bytes: fs.readFileSync(file) } }
  } catch (cause) {
    throw new AppError('invalid_input', `Cannot read ${file}: ${messageOf(cause)}`, { cause })
  }
}

/** The file that this package was installed from. Undefined if it is from a registry, or the file is gone. */
function tarballOf(home: string): string | undefined {
  for (const directory of ancestorDirectories(home)) {
    const found = [declaredIn(directory), installedIn(directory)].flat().find((file) => fs.existsSync(file))
    if (found !== undefined) return fs.realpathSync(found)
  }
  return undefined
}

/** The path in the dependencies of a directory's package.json, as in a project and in the cache of npx. */
function declaredIn(directory: string): string[] {
  const { dependencies, devDependencies } = readJson(path.join(directory, 'package.json'))
  return [dependencies, devDependencies].flatMap((group) => {
    return fileIn(directory, (group as Record<string, unknown> | undefined)?.['agentserver'])
  })
}

/** The path in npm's list of installed packages, as in the global directory. */
function installedIn(directory: string): string[] {
  const { packages } = readJson(path.join(directory, 'node_modules/.package-lock.json'))
  const entries = packages as Record<string, { resolved?: unknown } | undefined> | undefined
  return fileIn(directory, entries?.['node_modules/agentserver']?.resolved)
}

function fileIn(directory: string, range: unknown): string[] {
  return typeof range === 'string' && range.startsWith('file:')
    ? [path.resolve(directory, range.slice('file:'.length))]
    : []
}

/** Empty if the file is missing or not valid. */
function readJson(file: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, unknown>
  } catch {
    // another directory may have it
    return {}
  }
}
