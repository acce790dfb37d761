import { isIP } from 'node:net'

/** What an operator has to know about a server that asks nobody who they are. */
export function openServerWarnings({ host, production }: { host: string; production: boolean }): string[] {
  const warnings: string[] = []
  if (production)
    warnings.push('No authentication is configured: every route is open to whoever reaches this server')
  if (!isLoopback(host))
    warnings.push(`Listening on ${host} without authentication: anyone on the network can run workflows`)
  return warnings
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
