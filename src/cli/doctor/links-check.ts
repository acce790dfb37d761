import type { ServerConfig } from '../../config/config.ts'
import { LINK_SECRET } from '../../server/link-secret.ts'
import type { Check } from './check.ts'
import { failure, ok } from './check.ts'

const MIN_BYTES = 16
const ADVICE = `Set ${LINK_SECRET} to the output of: openssl rand -hex 32`

export interface LinksCheckOptions {
  readonly config: Pick<ServerConfig, 'publicUrl' | 'workflows'>
  readonly production: boolean
  readonly env: NodeJS.ProcessEnv
}

/** Checks what signs the links to suspended executions, where the configuration uses them. The secret is never printed. */
export function checkLinks({ config, production, env }: LinksCheckOptions): Check[] {
  const { publicUrl, workflows } = config
  const secret = env[LINK_SECRET] ?? ''
  const notifies = workflows.filter(({ run }) => run && NOTIFY.test(Function.prototype.toString.call(run)))
  if (publicUrl === undefined && notifies.length === 0) return []
  if (secret !== '' && Buffer.byteLength(secret.trim()) < MIN_BYTES)
    return [failure('links', `${LINK_SECRET} has fewer than ${MIN_BYTES} bytes and can be guessed`, ADVICE)]
  if (!production) return [ok('links', secret === '' ? MADE : `Signed with ${LINK_SECRET}`)]
  const missing = [
    ...(secret === '' ? [failure('links', `${LINK_SECRET} is not set: ${NO_LINKS}`, ADVICE)] : []),
    ...(publicUrl === undefined
      ? [failure('links', `publicUrl is not configured: ${NO_LINKS}`, 'Set publicUrl in the configuration.')]
      : []),
  ]
  return missing.length > 0 ? missing : [ok('links', `Signed with ${LINK_SECRET}`)]
}

const NOTIFY = /\bnotify\b/
const NO_LINKS = 'suspended executions have no links, and notify is not called'
const MADE = `Signed with a secret of this project; production needs ${LINK_SECRET}`
