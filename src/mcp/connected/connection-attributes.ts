import { ATTRIBUTE } from '../../contract/attributes.ts'
import type { Attributes } from '../../lib/telemetry/trace-scope.ts'
import type { ConnectedServerConfig } from './connected-config.ts'

interface Negotiated {
  readonly protocolVersion: string | undefined
  readonly sessionId: string | undefined
}

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** The attributes of a connection, for the spans of its calls (OpenTelemetry conventions for MCP). */
export function connectionAttributes(
  config: ConnectedServerConfig,
  { protocolVersion, sessionId }: Negotiated,
): Attributes {
  const session = { [ATTRIBUTE.mcpProtocolVersion]: protocolVersion, [ATTRIBUTE.mcpSessionId]: sessionId }
  if (!('url' in config)) return { ...session, [ATTRIBUTE.transport]: 'pipe' }
  const { hostname, port, protocol } = new URL(config.url)
  return {
    ...session,
    [ATTRIBUTE.transport]: 'tcp',
    [ATTRIBUTE.protocol]: 'http',
    [ATTRIBUTE.serverAddress]: hostname,
    [ATTRIBUTE.serverPort]: port === '' ? PORTS[protocol] : Number(port),
  }
}
