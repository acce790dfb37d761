import fs from 'node:fs'
import path from 'node:path'

const LOCKFILES = {
  npm: ['package-lock.json', 'npm-shrinkwrap.json'],
  pnpm: ['pnpm-lock.yaml'],
  yarn: ['yarn.lock'],
  bun: ['bun.lock', 'bun.lockb'],
} as const

export type PackageManager = keyof typeof LOCKFILES

const NAMES = Object.keys(LOCKFILES) as PackageManager[]

/** The package manager that runs this process, else the one whose lockfile is nearest above, else npm. */
export function findPackageManager(directory: string, env: NodeJS.ProcessEnv): PackageManager {
  const agent = /^[a-z]+(?=\/)/.exec(env['npm_config_user_agent'] ?? '')?.[0]
  return NAMES.find((name) => name === agent) ?? managerOfLockfile(directory) ?? 'npm'
}

function managerOfLockfile(directory: string): PackageManager | undefined {
  const found = NAMES.find((name) =>
    LOCKFILES[name].some((file) => fs.existsSync(path.join(directory, file))),
  )
  const above = path.dirname(directory)
  return found ?? (above === directory ? undefined : managerOfLockfile(above))
}
