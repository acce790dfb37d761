import { pino } from 'pino'
import type { Logger } from 'pino'
import { requireObject } from '../lib/require-object.ts'
import { isAgent } from '../agent/agent.ts'
import type { Agent } from '../agent/agent.ts'
import { createClient } from '../client/create-client.ts'
import type { Client } from '../client/create-client.ts'
import { exportedConfig } from '../config/config.ts'
import type { AgentServerConfig } from '../config/config.ts'
import type { User, AuthProvider } from '../contract/auth.ts'
import type { Metadata } from '../contract/metadata.ts'
import { DURATION_RULE, parseDuration } from '../lib/duration.ts'
import type { Duration } from '../lib/duration.ts'
import { createServer } from '../server/create-server.ts'
import type { TypedWorkflow } from '../workflow/definition.ts'
import { usedAgents } from '../workflow/used-agents.ts'
import { RunnerClock } from '../lib/runner-clock.ts'
import { settledExecution } from './test-execution.ts'
import type { TestExecution } from './test-execution.ts'
import { testModels } from './test-models.ts'
import type { TestModelOptions } from './test-model-options.ts'
import { randomUUID } from 'node:crypto'

/** The users of a test runner. Each gets a token; the configuration's own provider is not called. */
class TestUsers {
  readonly #users = new Map<string, User>()

  /** A token of the user. */
  tokenOf(user: User): string {
    const token = randomUUID()
    this.#users.set(token, user)
    return token
  }

  /** The configuration with a provider that knows these users. Its access rules stay as they are. */
  authenticate(config: AgentServerConfig): AgentServerConfig {
    const provider: AuthProvider = {
      type: 'test',
      verifyToken: (token) => this.#users.get(token),
    }
    const { auth, authNext, ...others } = config
    if (authNext === undefined && auth !== undefined) {
      const { publicRoutes = [], defaultPrivate = false } = auth
      return { ...others, auth: { ...provider, publicRoutes, defaultPrivate } }
    }
    const publicRoutes = [...(authNext?.provider.publicRoutes ?? []), ...(authNext?.publicRoutes ?? [])]
    return { ...others, authNext: { ...authNext, provider, publicRoutes } }
  }
}

/** Runs workflows in memory with the real engine. Call `close` at the end of the test. */
export interface TestRunner {
  /**
   * Starts an execution and waits until it completes, fails, suspends or is cancelled. A failed execution resolves
   * too; its error is in `error`. A step that hangs ends with its `timeoutMs` of the clock as soon as no request, process
   * or timer is open. Rejects when the input does not match the workflow's schema.
   */
  run<Input, Result>(
    workflow: TypedWorkflow<Input, Result>,
    input: Input,
    options?: RunOptions,
  ): Promise<TestExecution<Result>>
  /**
   * Advances the clock of the runner by a duration, such as `7d`: sleeps, time-outs and retries that are due in it happen,
   * in their order. Resolves when what follows from them has happened.
   */
  advance(duration: Duration): Promise<void>
  /** The typed client of the same server, for agents, tools and everything else. It may call all routes. */
  readonly client: Client
  /** The typed client of an authenticated user, to whom the access rules of the configuration apply. */
  clientOf(user: User): Client
  /** Stops the runner, and closes its database. */
  close(): Promise<void>
}

/** Options of one run. Apart from `user` they have the same meaning as `options` of the execute request. */
export interface RunOptions {
  /** The authenticated user who starts the execution: `user` of the step context. */
  readonly user?: User
  /** Id of the user. */
  readonly userId?: string
  /** Id of the conversation. */
  readonly conversationId?: string
  /** Context data of the execution. */
  readonly context?: Record<string, unknown>
  /** Metadata of the execution. */
  readonly metadata?: Metadata
}

/** Options of `createTestRunner`. */
export interface TestRunnerOptions extends TestModelOptions {
  /** Agents to call with `client`, in addition to those of the workflows or of the configuration, whose ids they can't have. */
  readonly agents?: readonly Agent[]
}

/** A test runner for a whole configuration. */
export interface ConfigUnderTest {
  /**
   * The default export of `agentserver.config.ts`. Its workflows, agents, tools, MCP servers, routes and access rules are
   * served. The database is in memory, and its auth provider is replaced by one that knows the users of the test.
   */
  readonly config: AgentServerConfig
}

/**
 * Creates a test runner for a configuration, or for some workflows. Workflows that are used by their steps are included.
 *
 * @example
 * const runner = createTestRunner({ config })
 * const execution = await runner.run(order, { amount: 250 }, { user: { id: 'ada' } })
 * expect(execution.status).toBe('suspended')
 * expect((await execution.resume({ approved: true })).result).toEqual({ paid: 250 })
 * await runner.close()
 */
export function createTestRunner(
  tested: ConfigUnderTest | readonly TypedWorkflow<never, unknown>[],
  options: TestRunnerOptions = {},
): TestRunner {
  requireTested(tested)
  requireObject('createTestRunner', 'options', options, { agents: 'array', models: 'object' })
  const { agents = [] } = options
  for (const agent of agents)
    if (!isAgent(agent)) throw new TypeError('createTestRunner(): agents must be made by createAgent()')
  const config = withAgents(
    'config' in tested ? exportedConfig(tested.config) : { workflows: tested },
    agents,
  )
  const modelRecorder = testModels('createTestRunner', options, () => agentsOf(config))
  const users = new TestUsers()
  const clock = new RunnerClock()
  const server = createServer(
    { ...users.authenticate(config), database: ':memory:' },
    { production: false, clock, modelRecorder, logger: runnerLogger() },
  )
  const fetch = async (request: Request) => {
    // the error itself, instead of a 503
    await server.ready()
    return clock.wait(server.fetch(request))
  }
  const clientWith = (credentials: { readonly token: string } | { readonly dev: true }) =>
    createClient({ baseUrl: 'http://localhost', fetch, ...credentials })
  const client = clientWith({ dev: true })
  const clientOf = (user: User) => {
    requireObject('clientOf', 'user', user)
    return clientWith({ token: users.tokenOf(user) })
  }
  return {
    client,
    clientOf,
    run: async <Input, Result>(
      workflow: TypedWorkflow<Input, Result>,
      input: Input,
      given: RunOptions = {},
    ) => {
      requireObject('run', 'workflow', workflow)
      requireObject('run', 'options', given, {
        user: 'object',
        userId: 'string',
        conversationId: 'string',
        context: 'object',
        metadata: 'object',
      })
      const { user, ...options } = given
      const starter = user === undefined ? client : clientOf(user)
      const end = clock.timers.busy()
      const { id: executionId } = await starter.workflow(workflow.id).start(input, options).finally(end)
      return settledExecution<Result>({
        params: { id: workflow.id, executionId },
        reader: client.api,
        clientOf: (other) => (other === undefined ? starter : clientOf(other)).api,
        wait: (settled) => clock.wait(settled),
        quiet: () => clock.advance(0),
      })
    },
    advance: async (duration) => {
      const ms = parseDuration(duration)
      if (ms === undefined)
        throw new TypeError(`advance(): "${duration}" is not a duration; use ${DURATION_RULE}`)
      // with the schedules
      await server.ready()
      await clock.advance(ms)
    },
    close: server.close,
  }
}

/** Logs by `console.error`, which test runners keep apart by test: `vitest --silent=passed-only` shows those of failed tests. */
function runnerLogger(): Logger {
  // oxlint-disable-next-line no-console -- see above
  return pino({ level: 'warn' }, { write: (line) => console.error(line.trimEnd()) })
}

/** @throws TypeError when the configuration, or a step, has another agent with the id of an added one. */
function withAgents(config: AgentServerConfig, added: readonly Agent[]): AgentServerConfig {
  const { agents = [] } = config
  const known = agentsOf(config)
  const other = added.find((agent) => known.some((used) => used.id === agent.id && used !== agent))
  if (other)
    throw new TypeError(
      `createTestRunner: agents has an agent "${other.id}", and the ${agents.some(({ id }) => id === other.id) ? 'configuration' : 'workflows'} another one with this id, which would be called instead. Give a model to that agent with the option models: { ${JSON.stringify(other.id)}: … }`,
    )
  return { ...config, agents: [...new Set([...agents, ...added])] }
}

/** All agents: declared ones, those of steps, and sub-agents. */
function agentsOf({ agents = [], workflows = [] }: AgentServerConfig): Agent[] {
  return usedAgents({ agents, workflows })
}

/** @throws TypeError naming the argument when there is nothing to test. */
function requireTested(tested: unknown): void {
  if (Array.isArray(tested)) return
  requireObject('createTestRunner', 'its first argument', tested)
  requireObject('createTestRunner', 'config', (tested as ConfigUnderTest).config)
  const option = ['agents', 'models'].find((name) => Object.hasOwn(tested as object, name))
  if (option !== undefined)
    throw new TypeError(
      `createTestRunner(): ${option} belongs to the second argument: createTestRunner({ config }, { ${option} })`,
    )
}
