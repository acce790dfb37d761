import { packageManagerOf } from '../../lib/package-manager.ts'
import type { PackageManagerName } from '../../lib/package-manager.ts'

/** The package manager that runs this process, else the directory's, else npm. */
export function findPackageManager(directory: string, env: NodeJS.ProcessEnv): PackageManagerName {
  const agent = /^(?:npm|pnpm|yarn|bun)(?=\/)/.exec(env['npm_config_user_agent'] ?? '')?.[0]
  return (agent as PackageManagerName | undefined) ?? packageManagerOf(directory) ?? 'npm'
}
