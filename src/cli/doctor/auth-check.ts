import type { ServerConfig } from '../../config/config.ts'
import type { Check } from './check.ts'
import { failure, ok, warning } from './check.ts'

const CONSOLE_KEY = 'SERVICE_CONSOLE_ACCESS_KEY'

export interface AuthCheckOptions {
  readonly config: Pick<ServerConfig, 'auth' | 'authNext'>
  readonly host: string
  readonly production: boolean
  readonly env: NodeJS.ProcessEnv
}

/** Who could call the server, as it is configured. */
export function checkAuth(options: AuthCheckOptions): Check[] {
  const { config, host, production, env } = options
  const provider = config.authNext?.provider ?? config.auth
  if (!provider) return checkOpenServer({ host, production })
  const problems = provider.problems?.(production) ?? []
  if (problems.length > 0)
    return problems.map((problem) => failure('auth', problem, 'Change the provider in the configuration.'))
  const mode = config.authNext ? 'authNext' : 'auth'
  const key = (env[CONSOLE_KEY] ?? '').trim()
  return [
    ok('auth', `${mode} with ${provider.type}`),
    ...(mode === 'auth' ? [warning('auth', 'The option auth is deprecated', 'Use authNext instead.')] : []),
    ...(production && key === ''
      ? [warning('auth', 'No console key is set: console routes answer 401', `Set ${CONSOLE_KEY}.`)]
      : []),
  ]
}

/** With no authentication at all. */
function checkOpenServer({ host, production }: { host: string; production: boolean }): Check[] {
  const advice = 'Set authNext in the configuration.'
  const isLoopback = host === 'localhost' || host === '::1' || /^127\.[\d.]+$/.test(host)
  const findings = [
    ...(production
      ? [warning('auth', 'None: in production every route is open to whoever reaches it', advice)]
      : []),
    ...(isLoopback
      ? []
      : [warning('auth', `None, on ${host}: anyone on the network can run workflows`, advice)]),
  ]
  return findings.length > 0 ? findings : [ok('auth', 'None: for development on this machine')]
}
