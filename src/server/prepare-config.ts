import type { Hono } from 'hono'
import { compileTool } from '../agent/tools/call-tool-for-client.ts'
import { registeredTools } from '../agent/tools/registered-tools.ts'
import { accessPolicy } from '../auth/access-policy.ts'
import { Gate } from '../auth/gate.ts'
import type { ServerConfig } from '../config/config.ts'
import { Registry } from '../engine/registry.ts'
import { checkExamples, checkScheduleInputs } from '../engine/check-declared-inputs.ts'
import { createUserApp } from '../http/user-app.ts'
import { AppError } from '../lib/errors.ts'
import { headerSecrets, secretsIn } from '../lib/redact/known-secrets.ts'
import type { ConnectedServerConfig } from '../mcp/connected/connected-config.ts'
import { isConnectedMcpServer } from '../mcp/connected/connected-server.ts'
import { passwordOf } from '../store/postgres/connection/postgres-url.ts'
import { usedAgents } from '../workflow/used-agents.ts'
import { socketRoutes } from '../ws/socket-routes.ts'
import type { SocketRoutes } from '../ws/socket-routes.ts'

/** A configuration that is ready to be put into service: every step that runs user code or can fail is done. */
export interface PreparedConfig {
  readonly config: ServerConfig
  readonly registry: Registry
  readonly gate: Gate
  readonly userApp: Hono | undefined
  readonly sockets: SocketRoutes
}

/**
 * Sets up what needs no user code to run: access rules, workflows, agents and tools.
 *
 * @throws AppError `invalid_config` when the auth provider refuses its settings, or a schema can't be compiled.
 */
export function checkedConfig(
  config: ServerConfig,
  production: boolean,
): Pick<PreparedConfig, 'gate' | 'registry'> {
  const policy = accessPolicy(config, production)
  const problems = policy.provider?.problems?.(production) ?? []
  if (problems.length > 0) throw new AppError('invalid_config', problems.join('; '))
  const gate = new Gate({ policy, production, consoleKey: process.env['SERVICE_CONSOLE_ACCESS_KEY'] })
  const registry = new Registry(config.workflows, config.agents, config.schedules, config)
  const owners = [config, ...config.mcpServers]
  const tools = owners.flatMap((owner) => owner.tools)
  const agents = owners.flatMap((owner) => usedAgents(owner))
  for (const { tool } of registeredTools({ tools, agents, servers: [] })) compileTool(tool)
  return { gate, registry }
}

/**
 * Sets up a configuration's routes, tools and workflows.
 *
 * @throws AppError `invalid_config` as `checkedConfig`, and when a custom route has the path of an endpoint; and the
 * errors of the user's own code.
 */
export async function prepareConfig(config: ServerConfig, production: boolean): Promise<PreparedConfig> {
  const { gate, registry } = checkedConfig(config, production)
  await checkScheduleInputs(registry)
  // nothing runs with them by itself: in production they must not keep a server from its start
  if (!production) await checkExamples(registry)
  return {
    config,
    gate,
    registry,
    userApp: await createUserApp(config),
    sockets: socketRoutes(config.webSockets),
  }
}

/** The credentials in a configuration, to be redacted from logs and traces. */
export function configSecrets({ authNext, auth, mcpServers, database }: ServerConfig): string[] {
  const providers = [authNext?.provider, auth]
  const authSecrets = providers.flatMap((provider) => provider?.secrets?.() ?? [])
  const connected = mcpServers.filter(isConnectedMcpServer)
  return [
    ...authSecrets.flatMap((secret) => secretsIn({ secret })),
    ...secretsIn({ password: passwordOf(database) }),
    ...connected.flatMap(({ config }) => connectionSecrets(config)),
  ]
}

function connectionSecrets(config: ConnectedServerConfig): string[] {
  return 'command' in config ? secretsIn(config.env ?? {}) : headerSecrets(config.headers ?? {})
}
