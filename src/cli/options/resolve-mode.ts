import { isProduction } from '../../server/is-production.ts'

type Mode = 'development' | 'production'

/**
 * Resolves the mode, which selects `.env.<mode>`. Sets NODE_ENV to the command's default if it is unset, so that the
 * project's code sees the same mode.
 */
export function resolveMode(env: NodeJS.ProcessEnv, defaultMode: Mode): Mode {
  if ((env['NODE_ENV'] ?? '').trim() === '') env['NODE_ENV'] = defaultMode
  return isProduction(env) ? 'production' : 'development'
}
