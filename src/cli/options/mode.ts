import { isProduction } from '../../server/is-production.ts'

type Mode = 'development' | 'production'

/**
 * Settles what the project runs as, for its code and for `.env.<mode>`: NODE_ENV, or where that is not set,
 * what the command is made for.
 */
export function modeOf(env: NodeJS.ProcessEnv, otherwise: Mode): Mode {
  if ((env['NODE_ENV'] ?? '').trim() === '') env['NODE_ENV'] = otherwise
  return isProduction(env) ? 'production' : 'development'
}
