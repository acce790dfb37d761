import type { Hono } from 'hono'
import { z } from 'zod'
import type { Agent } from '../agent/agent.ts'
import type { Tool } from '../agent/tools/tool.ts'
import type { AuthSettings, User } from '../contract/auth.ts'
import type { SocketHandler } from '../contract/channels.ts'
import { MAX_TIMER_MS } from '../lib/clock.ts'
import { formatPath } from '../lib/json/json-value.ts'
import type { WorkflowDefinition } from '../workflow/definition.ts'
import { authProblems } from './rules/auth-rules.ts'
import { configError } from './config-error.ts'
import type { ConfigProblem } from './config-error.ts'
import { mcpProblems, servedAgents, servedWorkflows } from './rules/mcp-rules.ts'
import type { DeclaredMcpServer } from './rules/mcp-rules.ts'
import { socketProblems } from './rules/socket-rules.ts'
import { agentsProblems, toolsProblems, workflowsProblems } from './rules/declarations.ts'
import { withChildren } from '../workflow/with-children.ts'

/** Scheme, host and port, as browsers send it. */
const Origin = z
  .string()
  .refine(
    (text) => URL.canParse(text) && new URL(text).origin === text,
    'Must be an origin such as "https://app.example"',
  )

/** Milliseconds that a timer can wait. */
const Wait = z.int().positive().max(MAX_TIMER_MS)

/** The options of a configuration that are plain values, with their defaults. */
const Options = z.strictObject({
  port: z.int().min(0).max(65_535).default(3141),
  host: z.string().min(1).default('127.0.0.1'),
  database: z.string().min(1).default('file:.agentserver/data.db'),
  durability: z.enum(['normal', 'full']).default('normal'),
  enableSwaggerUI: z.boolean().optional(),
  console: z.boolean().default(true),
  allowedHosts: z.array(z.string().min(1)).default([]),
  cors: z.strictObject({ origins: z.array(Origin).default([]) }).prefault({}),
  updates: z.strictObject({ allowInstall: z.boolean().default(false) }).prefault({}),
  retention: z
    .strictObject({
      executions: z
        .strictObject({
          days: z.number().positive().default(30),
          count: z.int().positive().default(100_000),
        })
        .prefault({}),
      telemetry: z
        .strictObject({
          days: z.number().positive().default(7),
          count: z.int().positive().default(1_000_000),
        })
        .prefault({}),
    })
    .prefault({}),
  observability: z
    .strictObject({
      enabled: z.boolean().default(true),
      captureContent: z.boolean().optional(),
    })
    .prefault({}),
  limits: z
    .strictObject({
      bodyBytes: z
        .int()
        .positive()
        .default(4 * 1024 * 1024),
      resultBytes: z
        .int()
        .positive()
        .default(16 * 1024 * 1024),
      headersTimeoutMs: Wait.default(15_000),
      requestTimeoutMs: Wait.default(120_000),
      maxConnections: z.int().positive().default(50_000),
    })
    .prefault({}),
})

/** The Hono app for routes of your own. `c.get('user')` is who asks, as the auth provider tells it. */
export type OwnApp = Hono<{ Variables: { user: User | undefined } }>

/** What `agentserver.config.ts` exports by default. All of it is optional. */
export interface AgentServerConfig extends AuthSettings {
  readonly workflows?: readonly WorkflowDefinition[]
  readonly agents?: readonly Agent[]
  readonly tools?: readonly Tool[]
  /** What `createMcpServer()` and `connectMcpServer()` made. */
  readonly mcpServers?: readonly DeclaredMcpServer[]
  /** Default 3141. The variable PORT and the option `--port` win. */
  readonly port?: number
  /** The address to listen on. Default 127.0.0.1. The variable HOST and the option `--host` win. */
  readonly host?: string
  /** `file:<path>`, relative to the project, or `:memory:`. Default `file:.agentserver/data.db`. */
  readonly database?: string
  /** `full` waits for the disk at every commit, so that a power cut loses nothing either. Default `normal`. */
  readonly durability?: 'normal' | 'full'
  /** Serve the API explorer at /ui. Default: on, unless NODE_ENV is production. */
  readonly enableSwaggerUI?: boolean
  /** Serve the console at /console/. Default true. */
  readonly console?: boolean
  /** Adds routes of your own to the server's Hono app. */
  readonly configureApp?: (app: OwnApp) => void | Promise<void>
  /** WebSocket endpoints of your own: paths, which may have `:name` segments, and their handlers. */
  readonly webSockets?: Readonly<Record<string, SocketHandler>>
  /** Origins whose pages may call the server, each as scheme, host and port. */
  readonly cors?: { readonly origins?: readonly string[] }
  /** Host names, besides loopback and IP addresses, under which the server may be reached without auth. */
  readonly allowedHosts?: readonly string[]
  readonly updates?: {
    /** Also in production the API may install updates of the project's packages. Default false. */
    readonly allowInstall?: boolean
  }
  readonly retention?: {
    /** Ended executions go after this many days, and beyond this number. Default 30 and 100,000. */
    readonly executions?: { readonly days?: number; readonly count?: number }
    /** Spans and log records go after this many days, and beyond this number of each. Default 7 and 1,000,000. */
    readonly telemetry?: { readonly days?: number; readonly count?: number }
  }
  readonly observability?: {
    /** Record traces; the log is kept in any case. Default true. */
    readonly enabled?: boolean
    /** Keep prompts, answers, and inputs and outputs of steps and tools on spans. Default: on, unless NODE_ENV is production. */
    readonly captureContent?: boolean
  }
  readonly limits?: {
    /** The largest request body. Default 4 MiB. */
    readonly bodyBytes?: number
    /** The largest step result as JSON. Default 16 MiB. */
    readonly resultBytes?: number
    /** Milliseconds a client may take to send a request's headers. Read at start. Default 15,000. */
    readonly headersTimeoutMs?: number
    /** Milliseconds a client may take to send a whole request; the answer may take longer. Read at start. Default 120,000. */
    readonly requestTimeoutMs?: number
    /** Open connections, streams and WebSockets among them; more are closed at once. Read at start. Default 50,000. */
    readonly maxConnections?: number
  }
}

/** A configuration whose defaults are filled in and whose rules hold. */
export interface ServerConfig extends z.output<typeof Options>, AuthSettings {
  /** With the workflows that other workflows run, and those that MCP servers serve. */
  readonly workflows: readonly WorkflowDefinition[]
  /** With those that MCP servers serve. */
  readonly agents: readonly Agent[]
  readonly tools: readonly Tool[]
  readonly mcpServers: readonly DeclaredMcpServer[]
  readonly configureApp: ((app: OwnApp) => void | Promise<void>) | undefined
  readonly webSockets: Readonly<Record<string, SocketHandler>>
}

/** Declares a configuration. Gives it back unchanged; it is there for the types. */
export function defineConfig(config: AgentServerConfig): AgentServerConfig {
  return config
}

/**
 * Checks a configuration and fills in its defaults. `file` is what the error names, `source` its text, for the
 * error to point into.
 *
 * @throws LoadError `ConfigError` with every problem, each with the path to it and what was expected.
 */
export function resolveConfig(value: unknown, file: string, source?: string): ServerConfig {
  const place = { file, source }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw configError(
      [{ path: [], text: 'the default export must be what defineConfig({ … }) returns' }],
      place,
    )
  const {
    workflows = [],
    agents = [],
    tools = [],
    mcpServers = [],
    configureApp,
    webSockets = {},
    authNext,
    auth,
    ...options
  } = value as AgentServerConfig
  const checked = Options.safeParse(options)
  const problems = [
    ...(checked.success ? [] : checked.error.issues.flatMap((issue) => optionProblems(issue))),
    ...under('workflows', workflowsProblems(workflows, servedWorkflows(mcpServers))),
    ...under('agents', agentsProblems(agents, servedAgents(mcpServers))),
    ...under('tools', toolsProblems(tools)),
    ...under('mcpServers', mcpProblems(mcpServers, agents)),
    ...under('authNext', authProblems({ authNext })),
    ...under('auth', authProblems({ auth })),
    ...under('configureApp', functionProblems({ configureApp })),
    ...under('webSockets', socketProblems(webSockets)),
  ]
  if (!checked.success || problems.length > 0) throw configError(problems, place)
  return {
    ...checked.data,
    workflows: withChildren([...workflows, ...servedWorkflows(mcpServers)]),
    agents: [...new Set([...agents, ...servedAgents(mcpServers)])],
    tools,
    mcpServers,
    configureApp,
    webSockets,
    authNext,
    auth,
  }
}

function optionProblems(issue: z.core.$ZodIssue): ConfigProblem[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))
  if (issue.code !== 'unrecognized_keys') return [{ path, text: `${formatPath('', path)}: ${issue.message}` }]
  return issue.keys.map((key) => {
    const keyPath = [...path, key]
    return { path: keyPath, text: `${formatPath('', keyPath)}: there is no such option` }
  })
}

function functionProblems(options: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(options).flatMap(([key, value]) =>
    value === undefined || typeof value === 'function' ? [] : [`${key}: must be a function`],
  )
}

function under(key: string, texts: readonly string[]): ConfigProblem[] {
  return texts.map((text) => ({ path: [key], text }))
}
