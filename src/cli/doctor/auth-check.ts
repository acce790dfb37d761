import { consoleKeyProblem } from '../../auth/credentials.ts'
import type { ServerConfig } from '../../config/config.ts'
import { accessTable } from '../serve/declared-access.ts'
import type { Check } from './check.ts'
import { failure, ok, warning } from './check.ts'

const CONSOLE_KEY = 'SERVICE_CONSOLE_ACCESS_KEY'

export interface AuthCheckOptions {
  readonly config: Pick<ServerConfig, 'auth' | 'authNext'>
  readonly host: string
  readonly production: boolean
  readonly env: NodeJS.ProcessEnv
}

/** Checks who can call the server with the current configuration. */
export function checkAuth(options: AuthCheckOptions): Check[] {
  const { production, env } = options
  const problem = production ? consoleKeyProblem(env[CONSOLE_KEY]) : undefined
  const advice = `Set ${CONSOLE_KEY} to the output of: openssl rand -hex 32`
  return [...checkRules(options), ...(problem === undefined ? [] : [failure('auth', problem, advice)])]
}

/** Lists who may cause what. */
export function checkAccess(config: ServerConfig): Check[] {
  const table = accessTable(config)
  return table.length === 0 ? [] : [ok('access', table.join('\n'))]
}

function checkRules(options: AuthCheckOptions): Check[] {
  const { config, host, production, env } = options
  const provider = config.authNext?.provider ?? config.auth
  if (!provider) return checkOpenServer({ host, production })
  const problems = provider.problems?.(production) ?? []
  if (problems.length > 0)
    return problems.map((problem) => failure('auth', problem, 'Fix the auth provider in the configuration.'))
  const mode = config.authNext ? 'authNext' : 'auth'
  const key = (env[CONSOLE_KEY] ?? '').trim()
  return [
    ok('auth', `${mode} with ${provider.type}`),
    ...(mode === 'auth' ? [warning('auth', 'The option auth is deprecated', 'Use authNext instead.')] : []),
    ...(production && key === ''
      ? [warning('auth', 'No console key is set: console routes respond with 401', `Set ${CONSOLE_KEY}.`)]
      : []),
  ]
}

/** Checks a server without authentication. */
function checkOpenServer({ host, production }: { host: string; production: boolean }): Check[] {
  const advice = 'Set authNext in the configuration.'
  const isLoopback = host === 'localhost' || host === '::1' || /^127\.[\d.]+$/.test(host)
  const warnings = [
    ...(production ? [warning('auth', 'Not configured: in production all routes are public', advice)] : []),
    ...(isLoopback
      ? []
      : [
          warning(
            'auth',
            `Not configured, listening on ${host}: anyone on the network can run workflows`,
            advice,
          ),
        ]),
  ]
  return warnings.length > 0 ? warnings : [ok('auth', 'Not configured (fine for local development)')]
}
