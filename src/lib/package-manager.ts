import fs from 'node:fs'
import path from 'node:path'

const LOCKFILES = {
  npm: ['package-lock.json', 'npm-shrinkwrap.json'],
  pnpm: ['pnpm-lock.yaml'],
  yarn: ['yarn.lock'],
  bun: ['bun.lock', 'bun.lockb'],
} as const

export type PackageManagerName = keyof typeof LOCKFILES

const NAMES = Object.keys(LOCKFILES) as PackageManagerName[]

/** The package manager that a project names in `packageManager`, else the one whose lockfile is nearest above it. */
export function packageManagerOf(directory: string): PackageManagerName | undefined {
  const named = namedIn(path.join(directory, 'package.json'))
  const found = NAMES.find((name) =>
    LOCKFILES[name].some((file) => fs.existsSync(path.join(directory, file))),
  )
  const above = path.dirname(directory)
  return named ?? found ?? (above === directory ? undefined : packageManagerOf(above))
}

function namedIn(file: string): PackageManagerName | undefined {
  try {
    const { packageManager } = JSON.parse(fs.readFileSync(file, 'utf8')) as { packageManager?: unknown }
    return NAMES.find((name) => typeof packageManager === 'string' && packageManager.startsWith(`${name}@`))
  } catch {
    // no package.json here, or none that can be read: lockfiles tell
    return undefined
  }
}

/** The command that adds packages to the project in a directory. */
export function addCommand(directory: string, ...packages: readonly string[]): string {
  const manager = packageManagerOf(directory) ?? 'npm'
  return [manager, manager === 'npm' ? 'install' : 'add', ...packages].join(' ')
}
