import type { ServerConfig } from '../config/config.ts'
import { headerSecrets, secretsIn } from '../lib/redact/known-secrets.ts'
import { isConnectedMcpServer } from '../mcp/connected/connected-server.ts'
import type { ConnectedServerConfig } from '../mcp/connected/connected-config.ts'

/** The credentials that a configuration holds, to be kept out of logs and traces. */
export function configSecrets({ authNext, auth, mcpServers }: ServerConfig): string[] {
  const providers = [authNext?.provider, auth]
  const own = providers.flatMap((provider) => provider?.secrets?.() ?? [])
  const connected = mcpServers.filter(isConnectedMcpServer)
  return [
    ...own.flatMap((secret) => secretsIn({ secret })),
    ...connected.flatMap(({ config }) => credentialsOf(config)),
  ]
}

function credentialsOf(config: ConnectedServerConfig): string[] {
  return 'command' in config ? secretsIn(config.env ?? {}) : headerSecrets(config.headers ?? {})
}
