import { types } from 'node:util'
import type { Hono } from 'hono'
import { z } from 'zod'
import type { Agent } from '../agent/agent.ts'
import { budgetsProblems } from '../agent/budgets/budget.ts'
import type { Budget } from '../agent/budgets/budget.ts'
import type { ModelPrices } from '../agent/prices/model-price.ts'
import type { Tool } from '../agent/tools/tool.ts'
import type { AuthSettings, User } from '../contract/auth.ts'
import type { SocketHandler } from '../contract/channels.ts'
import { isChannel } from '../contract/index.ts'
import { patternProblem } from '../contract/route-pattern.ts'
import { MAX_TIMER_MS } from '../lib/clock.ts'
import { declarationOf } from '../lib/declared-at.ts'
import type { FoundProblem } from '../lib/declared-at.ts'
import { DURATION_RULE, parseDuration } from '../lib/duration.ts'
import type { Duration } from '../lib/duration.ts'
import { requireObject } from '../lib/require-object.ts'
import type { WorkflowDefinition } from '../workflow/definition.ts'
import type { EndHook } from '../workflow/hooks.ts'
import { isWorkflow } from '../workflow/rules.ts'
import type { Schedule } from '../workflow/schedule/schedule.ts'
import { withChildren } from '../workflow/with-children.ts'
import { configError } from './config-error.ts'
import type { ConfigPlace, ConfigProblem } from './config-error.ts'
import { authProblems } from './rules/auth-rules.ts'
import { chooseDatabase, telemetryProblems } from './rules/database-rule.ts'
import {
  agentsProblems,
  duplicates,
  itemProblems,
  toolsProblems,
  unknownItems,
  workflowsProblems,
} from './rules/declarations.ts'
import { mcpProblems, servedAgents, servedWorkflows } from './rules/mcp-rules.ts'
import type { DeclaredMcpServer } from './rules/mcp-rules.ts'
import { optionProblems } from './rules/option-problems.ts'

/** Scheme, host and port, in the form of the Origin header. */
const Origin = z
  .string()
  .refine(
    (text) => URL.canParse(text) && new URL(text).origin === text,
    'Must be an origin such as "https://app.example"',
  )

/** A timer's delay in milliseconds. */
const Wait = z.int().positive().max(MAX_TIMER_MS)

/** A duration, such as `1h`. */
const DurationOption = z
  .union([z.string(), z.number()])
  .refine((value) => parseDuration(value) !== undefined, `Must be ${DURATION_RULE}`)

/** How many ended records are kept, and for how many days. */
function kept(days: number, count: number) {
  return z
    .strictObject({ days: z.number().positive().default(days), count: z.int().positive().default(count) })
    .prefault({})
}

const Dollars = z.number().nonnegative()

const NAME = 'Must have the form "provider/model", such as "openai/gpt-4.1-mini"'

/** Prices of models, by `provider/model`. */
const Prices = z.record(
  z.string().regex(/^[^/\s]+\/\S+$/, NAME),
  z.strictObject({ input: Dollars, output: Dollars, cachedInput: Dollars.optional() }),
)

/** The options of a configuration that are plain values, with their defaults. */
const Options = z.strictObject({
  // π, easy to remember, and not used by well-known services
  port: z.int().min(0).max(65_535).default(3141),
  // reachable by others only on request
  host: z.string().min(1).default('127.0.0.1'),
  database: z.string().min(1).optional(),
  durability: z.enum(['normal', 'full']).default('normal'),
  enableSwaggerUI: z.boolean().optional(),
  console: z.boolean().default(true),
  openai: z
    .union([
      z.literal(false),
      z.strictObject({ systemMessages: z.enum(['append', 'ignore', 'refuse']).default('append') }),
    ])
    .prefault({}),
  allowedHosts: z.array(z.string().min(1)).default([]),
  cors: z.strictObject({ origins: z.array(Origin).default([]) }).prefault({}),
  updates: z.strictObject({ allowInstall: z.boolean().default(false) }).prefault({}),
  approvals: z.strictObject({ timeout: DurationOption.default('7d') }).prefault({}),
  publicUrl: z
    .string()
    .refine((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ''), 'Must be an http or https URL')
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  linkTtl: DurationOption.default('30d'),
  retention: z
    .strictObject({
      // a month answers most questions about runs, a week most about traces; the counts bound the file to a few GB
      executions: kept(30, 100_000),
      evals: kept(30, 100_000),
      events: DurationOption.default('1h'),
      telemetry: kept(7, 1_000_000),
    })
    .prefault({}),
  prices: Prices.default({}),
  observability: z
    .strictObject({
      enabled: z.boolean().default(true),
      captureContent: z.boolean().optional(),
      store: z
        .string()
        .regex(/^file:./, 'Must be "file:<path>"')
        .optional(),
    })
    .prefault({}),
  limits: z
    .strictObject({
      // long conversations and documents fit, an attack on the memory does not
      bodyBytes: z
        .int()
        .positive()
        .default(4 * 1024 * 1024),
      // one row; larger data belongs into object storage, with a reference in the result
      resultBytes: z
        .int()
        .positive()
        .default(16 * 1024 * 1024),
      items: z.int().positive().default(10_000),
      calls: z.int().positive().default(10_000),
      queued: z.int().positive().default(100_000),
      compared: z.int().nonnegative().default(1000),
      // slow uploads pass
      requestTimeoutMs: Wait.default(120_000),
      // file descriptors and memory of one process
      maxConnections: z.int().positive().default(50_000),
    })
    .prefault({}),
})

/** The options that are objects and functions, which `Options` does not check. */
const DECLARATIONS = [
  'workflows',
  'agents',
  'tools',
  'schedules',
  'mcpServers',
  'onExecutionEnd',
  'configureApp',
  'webSockets',
  'budgets',
  'authNext',
  'auth',
] satisfies (keyof AgentServerConfig)[]

/** Who calls a custom route: `c.get('user')` and `c.get('identify')`. */
export interface Identity {
  /** The authenticated user. Public routes have it if the auth provider needs no network. */
  readonly user: User | undefined
  /** Resolves to the authenticated user. On public routes it waits for the auth provider, at most 10 seconds. */
  readonly identify: () => Promise<User | undefined>
}

/** The Hono app for custom routes. `c.get('user')` is the authenticated user. */
export type OwnApp = Hono<{
  /** Values that middleware sets for handlers. */
  Variables: Identity
}>

/** The default export of `agentserver.config.ts`. All options are optional. */
export interface AgentServerConfig<
  Workflows extends readonly WorkflowDefinition[] = readonly WorkflowDefinition[],
  Agents extends readonly Agent[] = readonly Agent[],
  Tools extends readonly Tool[] = readonly Tool[],
> extends AuthSettings {
  /** Workflows that the server offers. */
  readonly workflows?: Workflows
  /** Agents that the server offers. */
  readonly agents?: Agents
  /** Tools that can be called directly, besides those of agents. */
  readonly tools?: Tools
  /** Schedules from `createSchedule()`, which start executions at times. */
  readonly schedules?: readonly Schedule[]
  /**
   * Called after each execution of each workflow has ended, as `onEnd` of a workflow: stored with the end, at least once,
   * with five retries.
   */
  readonly onExecutionEnd?: EndHook
  /** MCP servers from `createMcpServer()` and `connectMcpServer()`. */
  readonly mcpServers?: readonly DeclaredMcpServer[]
  /** Default 3141. The variable PORT and the option `--port` override it. */
  readonly port?: number
  /** The address to listen on. Default 127.0.0.1. The variable HOST and the option `--host` override it. */
  readonly host?: string
  /**
   * `file:<path>`, relative to the project, `:memory:`, or `postgres://user:password@host/database?schema=name` for
   * several machines. Default: the variable DATABASE_URL if it is a Postgres URL, else `file:.agentserver/data.db`.
   */
  readonly database?: string
  /** `full` syncs every commit to disk, so that a power failure loses no data. Default `normal`. */
  readonly durability?: 'normal' | 'full'
  /** Serve the API explorer at /ui. Default: true, except in production. */
  readonly enableSwaggerUI?: boolean
  /** Serve the console at /console/. Default true. */
  readonly console?: boolean
  /**
   * The routes at /v1 for clients of OpenAI's API; `false`: none. `systemMessages`: what becomes of the system and developer
   * messages of clients: `append` adds them to the agent's instructions, marked as the caller's; `ignore` leaves them out;
   * `refuse` responds with 400. Default `append`.
   */
  readonly openai?:
    | false
    | {
        /** System messages of clients: added to the agent's instructions, ignored, or refused with 400. Default: `append`. */
        readonly systemMessages?: 'append' | 'ignore' | 'refuse'
      }
  /** Adds custom routes to the server's Hono app. */
  readonly configureApp?: (app: OwnApp) => void | Promise<void>
  /** Custom WebSocket endpoints: paths, with optional `:name` segments, and their handlers. */
  readonly webSockets?: Readonly<Record<string, SocketHandler>>
  /** Origins that may call the server from a browser, each as scheme, host and port. */
  readonly cors?: {
    /** Origins that may call the server, such as `https://app.example`. Default: none. */
    readonly origins?: readonly string[]
  }
  /** Host names that are accepted without authentication, besides loopback and IP addresses. */
  readonly allowedHosts?: readonly string[]
  /** Updates of the project's packages. */
  readonly updates?: {
    /** Allow installing package updates over the API in production. Default false. */
    readonly allowInstall?: boolean
  }
  /** How long approvals are waited for. */
  readonly approvals?: {
    /** How long an agent's run waits for approvals and for tools of the client. Read at start. Default `7d`. */
    readonly timeout?: Duration
  }
  /** The URL at which clients reach the server, for links in messages. Default: that of the request; in development the local one. */
  readonly publicUrl?: string
  /** How long signed links to suspended executions without a timeout are valid. Default `30d`. */
  readonly linkTtl?: Duration
  /** How long records are kept. */
  readonly retention?: {
    /** Maximum age in days and maximum number of ended executions. Default 30 and 100,000. */
    readonly executions?: {
      /** Days that ended executions are kept. Default: 30. */
      readonly days?: number
      /** Maximum number of ended executions. Default: 100,000. */
      readonly count?: number
    }
    /** The same of the runs of evals that are kept. Default 30 and 100,000. */
    readonly evals?: {
      /** Days that eval runs are kept. Default: 30. */
      readonly days?: number
      /** Maximum number of eval runs. Default: 100,000. */
      readonly count?: number
    }
    /** How long an event that no execution waits for is kept, for executions that wait for it later. Default `'1h'`. */
    readonly events?: Duration
    /** Maximum age in days and maximum number, of spans and of log records each. Default 7 and 1,000,000. */
    readonly telemetry?: {
      /** Days that traces and logs are kept. Default: 7. */
      readonly days?: number
      /** Maximum number of spans, and of log records. Default: 1,000,000. */
      readonly count?: number
    }
  }
  /**
   * Prices of models in US dollars per million tokens, by `provider/model`: `{ input, output, cachedInput? }`. They
   * replace the providers' list prices that the package knows.
   */
  readonly prices?: ModelPrices
  /**
   * Limits of what all model calls of the project may use: in all, of each user, agent or run. Agents and workflows can have
   * `budgets` of their own.
   */
  readonly budgets?: readonly Budget[]
  /** Traces, metrics and logs. */
  readonly observability?: {
    /** Record traces. Logs are always recorded. Default true. */
    readonly enabled?: boolean
    /** Record prompts, responses, and inputs and outputs of steps and tools on spans. Default: true, except in production. */
    readonly captureContent?: boolean
    /**
     * `file:<path>`, relative to the project: a SQLite file of each machine for its logs and traces, while the rest is in
     * a Postgres database. Traces then have only what ran on the machine that shows them. Default: the database.
     */
    readonly store?: string
  }
  /** Limits of requests, values and queues. */
  readonly limits?: {
    /** Maximum size of a request body in bytes. Default 4 MiB, and 20 MiB for messages to agents. */
    readonly bodyBytes?: number
    /** Maximum size of a step result as JSON, in bytes. Default 16 MiB. */
    readonly resultBytes?: number
    /** Maximum number of items of an andForEach step. Default 10,000. */
    readonly items?: number
    /** Maximum number of recorded calls (`step.run` and others) of a function. Default 10,000. */
    readonly calls?: number
    /** Maximum number of executions that wait for a place of a workflow with limits. Default 100,000. */
    readonly queued?: number
    /**
     * Maximum number of open executions that `agentserver start` compares with the code after it is ready, suspended ones
     * first; functions run over their records for it. 0: none. Default 1,000.
     */
    readonly compared?: number
    /** Maximum time to receive a whole request, in milliseconds; the response may take longer. Read at start. Default 120,000. */
    readonly requestTimeoutMs?: number
    /** Maximum number of open connections, with streams and WebSockets; further ones are closed. Read at start. Default 50,000. */
    readonly maxConnections?: number
  }
}

type OptionValues = z.output<typeof Options>

/** A valid configuration with all defaults. */
export interface ServerConfig extends Omit<OptionValues, 'database' | 'limits'>, AuthSettings {
  readonly limits: OptionValues['limits'] & {
    /** `bodyBytes`, if it is configured: then it holds for messages to agents, too. */
    readonly declaredBodyBytes: number | undefined
  }
  /** The URL of the database. For Postgres it names the schema. */
  readonly database: string
  /** Including those of served MCP servers; without those that only steps run. */
  readonly workflows: readonly WorkflowDefinition[]
  /** Including those of served MCP servers. */
  readonly agents: readonly Agent[]
  readonly tools: readonly Tool[]
  readonly schedules: readonly Schedule[]
  readonly mcpServers: readonly DeclaredMcpServer[]
  readonly onExecutionEnd: EndHook | undefined
  readonly configureApp: ((app: OwnApp) => void | Promise<void>) | undefined
  readonly webSockets: Readonly<Record<string, SocketHandler>>
  readonly budgets: readonly Budget[]
}

/**
 * Types a configuration. Returns it unchanged. `createClient<typeof config>()` knows its workflows, agents and tools by their
 * ids, and `createTestRunner({ config })` its workflows.
 *
 * @example
 * export default defineConfig({ workflows: [order], agents: [clerk], port: 8080 })
 */
export function defineConfig<
  const Workflows extends readonly WorkflowDefinition[] = readonly [],
  const Agents extends readonly Agent[] = readonly [],
  const Tools extends readonly Tool[] = readonly [],
>(config: AgentServerConfig<Workflows, Agents, Tools>): AgentServerConfig<Workflows, Agents, Tools> {
  requireObject('defineConfig', 'config', config)
  return config
}

/**
 * The configuration that a module exports: of an ES module that was compiled to CommonJS, of a CommonJS module with
 * `exports.default` alone, and of a module as a whole, the member `default`. Other values are returned as they are.
 */
export function exportedConfig<Config extends object>(value: Config | { readonly default: Config }): Config {
  if (typeof value !== 'object' || value === null || !('default' in value)) return value
  const isModule =
    types.isModuleNamespaceObject(value) ||
    ('__esModule' in value && value.__esModule === true) ||
    (Object.keys(value).length === 1 && typeof value.default === 'object')
  // the default export of an ES module may be that of a CommonJS one
  return isModule ? exportedConfig(value.default) : (value as Config)
}

export interface ResolveOptions extends Partial<Omit<ConfigPlace, 'file'>> {
  /** The variables that the configuration is completed from. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/**
 * Validates a configuration and fills in its defaults. `file` is the file name in errors; `source` is its text, for a
 * code frame.
 *
 * @throws LoadError `ConfigError` with all problems, each with its path and the expected value.
 */
export function resolveConfig(
  value: unknown,
  file: string,
  { source, root, env = {} }: ResolveOptions = {},
): ServerConfig {
  const place = { file, source, root }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw configError(
      [{ path: [], message: 'the default export must be an object: export default defineConfig({ … })' }],
      place,
    )
  const {
    workflows = [],
    agents = [],
    tools = [],
    schedules = [],
    mcpServers = [],
    onExecutionEnd,
    configureApp,
    webSockets = {},
    budgets = [],
    authNext,
    auth,
    ...options
  } = value as AgentServerConfig
  const checked = Options.safeParse(options)
  const database = chooseDatabase(checked.data?.database, env)
  const problems = [
    ...(checked.success
      ? []
      : checked.error.issues.flatMap((issue) => optionProblems(issue, Options, DECLARATIONS))),
    ...problemsUnder('database', 'problem' in database ? [database.problem] : []),
    ...problemsUnder('observability', telemetryProblems(checked.data?.observability.store, database)),
    ...problemsUnder('workflows', workflowsProblems(workflows, servedWorkflows(mcpServers))),
    ...problemsUnder('agents', agentsProblems(agents, servedAgents(mcpServers))),
    ...problemsUnder('tools', toolsProblems(tools)),
    ...problemsUnder(
      'schedules',
      scheduleProblems(schedules, [workflows, servedWorkflows(mcpServers)].flat()),
    ),
    ...problemsUnder('mcpServers', mcpProblems(mcpServers, agents)),
    ...problemsUnder('authNext', authProblems({ authNext })),
    ...problemsUnder('auth', authProblems({ auth })),
    ...problemsUnder('onExecutionEnd', functionProblems({ onExecutionEnd })),
    ...problemsUnder('configureApp', functionProblems({ configureApp })),
    ...problemsUnder('webSockets', socketProblems(webSockets)),
    ...problemsUnder('budgets', budgetsProblems(budgets)),
  ]
  if (!checked.success || 'problem' in database || problems.length > 0) throw configError(problems, place)
  const served = {
    workflows: [...new Set([...workflows, ...servedWorkflows(mcpServers)])],
    agents: [...new Set([...agents, ...servedAgents(mcpServers)])],
  }
  const { limits } = checked.data
  return {
    ...checked.data,
    limits: { ...limits, declaredBodyBytes: options.limits?.bodyBytes },
    ...served,
    database: database.url,
    tools,
    schedules,
    mcpServers,
    onExecutionEnd,
    configureApp,
    webSockets,
    budgets,
    authNext,
    auth,
  }
}

/** The problems of options that must be functions. */
function functionProblems(options: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(options).flatMap(([key, value]) =>
    value === undefined || typeof value === 'function' ? [] : [`${key}: must be a function`],
  )
}

/** The problems of an option, as messages or with the declarations at fault. */
function problemsUnder(key: string, problems: readonly (string | FoundProblem)[]): ConfigProblem[] {
  return problems.map((problem) => ({
    path: [key],
    ...(typeof problem === 'string' ? { message: problem } : problem),
  }))
}

/** The problems of the declared schedules. `workflows` are those of the configuration. */
function scheduleProblems(schedules: readonly Schedule[], workflows: readonly unknown[]): FoundProblem[] {
  const unknown = unknownItems('schedules', schedules)
  if (unknown) return unknown
  const known = withChildren(workflows.filter(isWorkflow))
  return [
    ...itemProblems('schedules', schedules, ({ id }) => id),
    ...duplicates('schedule id', schedules, ({ id }) => id),
    ...schedules.flatMap((schedule, index) => workflowProblems(schedule, { index, known })),
  ]
}

/** A workflow with the same id is another one: it may be a copy with other steps. */
function workflowProblems(
  schedule: Schedule,
  { index, known }: { readonly index: number; readonly known: readonly WorkflowDefinition[] },
): FoundProblem[] {
  const { id, workflow } = schedule
  if (!isWorkflow(workflow) || known.includes(workflow)) return []
  return [
    {
      message: `schedules[${index}] "${id}": add the workflow "${workflow.id}" to "workflows"`,
      declaration: declarationOf(schedule),
    },
  ]
}

/** The problems of the `webSockets` option. */
function socketProblems(webSockets: unknown): string[] {
  if (typeof webSockets !== 'object' || webSockets === null || Array.isArray(webSockets))
    return ['webSockets: must be an object of paths and handlers']
  return Object.entries(webSockets).flatMap(([path, handler]) => {
    const problem = pathProblem(path) ?? (typeof handler === 'function' ? undefined : 'must be a function')
    return problem === undefined ? [] : [`webSockets["${path}"]: ${problem}`]
  })
}

function pathProblem(path: string): string | undefined {
  if (!path.startsWith('/') || path.includes('*')) return 'the path must start with "/" and have no "*"'
  if (isChannel(path)) return "the path is one of the server's own channels"
  return patternProblem(path)
}
