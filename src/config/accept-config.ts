import path from 'node:path'
import { exportedConfig, resolveConfig } from './config.ts'
import type { AgentServerConfig, ServerConfig } from './config.ts'
import { ignoredDatabaseUrl } from './rules/database-rule.ts'
import { LoadError } from './loader/errors/load-error.ts'
import type { ModuleNamespace } from './loader/namespace.ts'
import { readSource } from './loader/seen-sources.ts'
import type { Project } from './project.ts'

export interface AcceptedConfig {
  readonly config: ServerConfig
  /** The port that the config file sets. Undefined if it sets none. */
  readonly port: number | undefined
  /** Why DATABASE_URL is not used, if the config file names no database. */
  readonly ignoredDatabaseUrl: string | undefined
}

/**
 * Validates the default export of a config file and fills in the defaults.
 *
 * @throws LoadError if there is no default export or the configuration is invalid.
 */
export function acceptConfig(namespace: ModuleNamespace, { root, configFile }: Project): AcceptedConfig {
  const file = path.basename(configFile)
  const declared = namespace['default'] as AgentServerConfig | undefined
  if (declared === undefined)
    throw new LoadError({
      name: 'ConfigError',
      message: `${file} has no default export`,
      file,
      hint: 'Add `export default defineConfig({ … })`.',
    })
  const exported = exportedConfig(declared)
  return {
    config: resolveConfig(exported, file, { source: readSource(configFile), root, env: process.env }),
    port: exported.port,
    ignoredDatabaseUrl: exported.database === undefined ? ignoredDatabaseUrl(process.env) : undefined,
  }
}
