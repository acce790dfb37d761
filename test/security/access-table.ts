/** The groups of the contract's access table. */
export type Group =
  | 'management'
  | 'docs'
  | 'discovery'
  | 'observability'
  | 'updates'
  | 'schedules'
  | 'login'
  | 'setup'
  | 'execution'
  | 'inspection'
  | 'open'
  | 'custom'
  | 'unknown'

/** Every route with its group, written by hand, so that the server's own table is compared with it. */
export const ROUTES: Readonly<Record<string, Group>> = {
  'GET /agents': 'management',
  'GET /agents/:id': 'management',
  'GET /workflows': 'management',
  'GET /workflows/:id': 'management',
  'GET /tools': 'management',
  'GET /agents/:id/history': 'observability',
  'GET /workflows/executions': 'management',
  'GET /workflows/:id/executions/:executionId/state': 'management',
  'GET /': 'docs',
  'GET /doc': 'docs',
  'GET /ui': 'docs',
  'GET /agents/:id/card': 'discovery',
  'GET /agents/:id/.well-known/agent-card.json': 'discovery',
  'GET /mcp/servers': 'discovery',
  'GET /mcp/servers/:serverId': 'discovery',
  'GET /mcp/servers/:serverId/tools': 'discovery',
  'GET /mcp/servers/:serverId/resources': 'observability',
  'GET /mcp/servers/:serverId/resources/read': 'observability',
  'GET /mcp/servers/:serverId/prompts': 'observability',
  'GET /mcp/servers/:serverId/prompts/get': 'observability',
  'POST /mcp/servers/:serverId/login': 'observability',
  'GET /mcp/oauth/callback': 'login',
  'POST /workflows/executions/cancel': 'observability',
  'POST /workflows/executions/replay': 'observability',
  'GET /.well-known/oauth-protected-resource': 'open',
  'GET /.well-known/oauth-protected-resource/mcp/:serverId': 'open',
  'GET /links/:token': 'open',
  'POST /links/:token': 'open',
  'GET /observability/status': 'observability',
  'GET /observability/conversations': 'observability',
  'GET /observability/approvals': 'observability',
  'POST /observability/agents/:id/runs/:runId/approvals': 'observability',
  'POST /observability/agents/:id/runs/:runId/resume': 'observability',
  'POST /observability/agents/:id/trials': 'observability',
  'POST /observability/agents/:id/instructions/patch': 'observability',
  'GET /observability/activity': 'observability',
  'GET /observability/activity/last-hour': 'observability',
  'GET /observability/agents': 'observability',
  'GET /observability/tools': 'observability',
  'GET /observability/costs': 'observability',
  'GET /observability/workflows/:id/statistics': 'observability',
  'GET /observability/search': 'observability',
  'GET /observability/workflows': 'observability',
  'GET /observability/settings': 'observability',
  'GET /observability/metrics': 'observability',
  'GET /observability/machines': 'observability',
  'GET /observability/queues': 'observability',
  'GET /observability/events': 'observability',
  'GET /observability/traces': 'observability',
  'GET /observability/traces/:traceId': 'observability',
  'GET /observability/spans/:spanId': 'observability',
  'GET /observability/traces/:traceId/logs': 'observability',
  'GET /observability/spans/:spanId/logs': 'observability',
  'GET /observability/logs': 'observability',
  'GET /observability/executions': 'observability',
  'GET /observability/executions/:executionId': 'observability',
  'DELETE /observability/executions/:executionId': 'observability',
  'POST /observability/erase': 'observability',
  'GET /observability/executions/:executionId/stream': 'observability',
  'GET /observability/executions/:executionId/costs': 'observability',
  'GET /observability/executions/:executionId/case': 'observability',
  'POST /observability/executions/:executionId/case': 'observability',
  'GET /observability/agents/:id/runs/:runId/case': 'observability',
  'POST /observability/agents/:id/runs/:runId/case': 'observability',
  'GET /api/logs': 'observability',
  'GET /evals': 'observability',
  'GET /evals/:id/runs': 'observability',
  'POST /evals/:id/run': 'observability',
  'GET /evals/runs/:runId': 'observability',
  'POST /evals/runs/:runId/cancel': 'observability',
  'GET /observability/pins': 'observability',
  'PUT /observability/pins/:executionId': 'observability',
  'DELETE /observability/pins/:executionId': 'observability',
  'GET /updates': 'updates',
  'POST /updates': 'updates',
  'POST /updates/:packageName': 'updates',
  'POST /updates/:scope/:packageName': 'updates',
  'POST /setup-observability': 'setup',
  'POST /agents/:id/text': 'execution',
  'POST /agents/:id/stream': 'execution',
  'POST /agents/:id/object': 'execution',
  'POST /agents/:id/stream-object': 'execution',
  'POST /agents/:id/runs/:runId/approvals': 'execution',
  'POST /agents/:id/runs/:runId/resume': 'execution',
  'POST /agents/:id/runs/:runId/replay': 'execution',
  'POST /agents/:id/chat': 'execution',
  'POST /agents/:id/a2a': 'execution',
  'POST /events': 'execution',
  'GET /agents/:id/working-memory': 'execution',
  'PUT /agents/:id/working-memory': 'execution',
  'DELETE /agents/:id/working-memory': 'execution',
  'GET /agents/:id/chat/:chatId/stream': 'execution',
  'POST /agents/:id/chat/:chatId/stop': 'execution',
  'GET /agents/:id/conversations': 'execution',
  'GET /agents/:id/conversations/:conversationId/messages': 'execution',
  'PATCH /agents/:id/conversations/:conversationId': 'execution',
  'DELETE /agents/:id/conversations/:conversationId': 'execution',
  'POST /tools/:name/execute': 'execution',
  'GET /mcp/:serverId': 'execution',
  'POST /mcp/:serverId': 'execution',
  'DELETE /mcp/:serverId': 'execution',
  'GET /schedules': 'management',
  'GET /schedules/:id': 'management',
  'POST /schedules/:id/trigger': 'schedules',
  'POST /schedules/:id/pause': 'schedules',
  'POST /schedules/:id/resume': 'schedules',
  'POST /workflows/:id/execute': 'execution',
  'POST /workflows/:id/run': 'execution',
  'POST /workflows/:id/stream': 'execution',
  'POST /workflows/:id/executions/:executionId/suspend': 'execution',
  'POST /workflows/:id/executions/:executionId/resume': 'execution',
  'POST /workflows/:id/executions/:executionId/cancel': 'execution',
  'POST /workflows/:id/executions/:executionId/replay': 'execution',
  'GET /workflows/:id/executions/:executionId': 'inspection',
  'GET /workflows/:id/executions/:executionId/stream': 'inspection',
  'GET /healthz': 'open',
  'GET /readyz': 'open',
  'GET /ui/:asset': 'open',
  'GET /console/*': 'open',
}

export type Credential = 'none' | 'key' | 'keyQuery' | 'wrongKey' | 'token' | 'expired' | 'bypass'
export const CREDENTIALS: readonly Credential[] = [
  'none',
  'key',
  'keyQuery',
  'wrongKey',
  'token',
  'expired',
  'bypass',
]

const all = CREDENTIALS
const nobody: readonly Credential[] = []
const key = ['key', 'keyQuery'] as const
const token = ['token'] as const

export type Mode = 'authNext' | 'legacy' | 'legacy, defaultPrivate' | 'none'
export type Environment = 'development' | 'production'

type Opens = Readonly<Record<Group, readonly Credential[]>>

const NONE: Opens = {
  management: all,
  docs: all,
  discovery: all,
  observability: all,
  updates: all,
  schedules: all,
  login: all,
  setup: all,
  execution: all,
  inspection: all,
  open: all,
  custom: all,
  unknown: all,
}

const LEGACY: Opens = {
  management: all,
  docs: all,
  discovery: all,
  inspection: all,
  open: all,
  execution: [...token, 'bypass'],
  setup: [...token, 'bypass'],
  observability: [...key, ...token, 'bypass'],
  updates: [...key, ...token, 'bypass'],
  schedules: [...key, ...token, 'bypass'],
  login: all,
  custom: all,
  unknown: all,
}

const LEGACY_IN_PRODUCTION: Opens = {
  ...LEGACY,
  execution: token,
  // requires both the token and the key
  setup: nobody,
  observability: key,
  updates: key,
  schedules: key,
  login: key,
}

/** The credentials that open a group. */
export const OPENED_BY: Readonly<Record<Mode, Readonly<Record<Environment, Opens>>>> = {
  authNext: {
    development: {
      management: [...key, 'bypass'],
      docs: [...key, 'bypass'],
      discovery: [...key, 'bypass'],
      observability: [...key, 'bypass'],
      updates: [...key, 'bypass'],
      schedules: [...key, 'bypass'],
      login: all,
      setup: [...token, 'bypass'],
      execution: [...token, 'bypass'],
      inspection: [...token, 'bypass'],
      open: all,
      custom: [...token, 'bypass'],
      unknown: [...token, 'bypass'],
    },
    production: {
      management: key,
      docs: key,
      discovery: key,
      observability: key,
      updates: key,
      schedules: key,
      login: key,
      setup: nobody,
      execution: token,
      inspection: token,
      open: all,
      custom: token,
      unknown: token,
    },
  },
  legacy: { development: LEGACY, production: LEGACY_IN_PRODUCTION },
  'legacy, defaultPrivate': {
    development: { ...LEGACY, custom: [...token, 'bypass'], unknown: [...token, 'bypass'] },
    production: { ...LEGACY_IN_PRODUCTION, custom: token, unknown: token },
  },
  none: { development: NONE, production: NONE },
}
