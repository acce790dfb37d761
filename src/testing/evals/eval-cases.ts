import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { resolveConfig } from '../../config/config.ts'
import type { AgentServerConfig } from '../../config/config.ts'
import { findProject } from '../../config/project.ts'
import type { Eval } from '../../evals/eval.ts'
import { NO_EVAL } from '../../evals/run/plan.ts'
import { requireObject } from '../../lib/require-object.ts'
import { systemClock } from '../../lib/clock.ts'
import { activeSpanIds } from '../../observability/logs/active-span-ids.ts'
import { ServerLogs } from '../../observability/logs/server-logs.ts'
import { openEvals } from '../../server/project/open-evals.ts'
import { ScratchServer } from '../../server/project/scratch-server.ts'
import { TestedEval } from './tested-eval.ts'
import type { TestModelOptions } from '../test-model-options.ts'
import { testModels } from '../test-models.ts'
import { testFunctions } from './test-functions.ts'
import type { TestFunction } from './test-functions.ts'

/** Options of `evalCases`. */
export interface EvalCasesOptions extends TestModelOptions {
  /** A glob of case files, from `root`. Default: every eval, and the files below `cases`. */
  readonly cases?: string
  /**
   * The default export of `agentserver.config.ts`, as the test imports it. Default: the project in `root` is loaded like
   * by `agentserver eval`, with its files `*.eval.ts`.
   */
  readonly config?: AgentServerConfig
  /** The evals for `config`. Default: none; the case files must equal what they expect. */
  readonly evals?: readonly Eval[]
  /** Uses the answers of models in `cases/.recordings`: no model is called. A call that is not recorded fails its test. */
  readonly replay?: boolean
  /** How often each case runs; its score is the mean. Default: 1. */
  readonly repeat?: number
  /** The project's directory, as a path or a file URL. Default: the working directory. */
  readonly root?: string | URL
  /** Defines a test. Default: the global `test`, otherwise that of the project's Vitest. */
  readonly test?: TestFunction
  /** How long a test waits for the cases of its eval, in milliseconds. Default: 10 minutes. */
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 600_000

/**
 * Defines a test for each case, in a test file. The tests of an eval fail when `agentserver eval` does: a test fails with
 * the reasons that the command prints when the score of its case is below the threshold, and the mean of the eval is, too.
 *
 * @throws AppError `invalid_config` naming the case, eval or recording that is broken; TypeError without a function `test`.
 *
 * @example
 * // test/evals.test.ts
 * import { evalCases } from 'agentserver/testing'
 *
 * await evalCases({ cases: 'cases/orders/*.json', replay: true })
 */
export async function evalCases(options: EvalCasesOptions = {}): Promise<void> {
  requireObject('evalCases', 'options', options, {
    cases: 'string',
    config: 'object',
    evals: 'array',
    replay: 'boolean',
    repeat: 'number',
    root: ['string', 'object'],
    test: 'function',
    timeoutMs: 'number',
    models: 'object',
  })
  const { cases: pattern, config, evals = config && [], replay = false, repeat = 1 } = options
  const { root = process.cwd(), timeoutMs = TIMEOUT_MS } = options
  if (!Number.isInteger(repeat) || repeat < 1)
    throw new TypeError('evalCases(): repeat must be a whole number of 1 or more')
  if (replay && (options.models !== undefined || options.model !== undefined))
    throw new TypeError('evalCases(): replay returns recorded answers: leave out models and model')
  const directory = fs.realpathSync(root instanceof URL ? fileURLToPath(root) : root)
  const { test, afterAll } = await testFunctions(options.test, directory)
  const server = await scratchServer(config, directory)
  let closed: Promise<void> | undefined
  const close = () => (closed ??= server.close(0))
  const open = async () => {
    const models = testModels('evalCases', options, () => server.agents)
    return openEvals(server, { evals, pattern, mode: replay ? 'replay' : undefined, models })
  }
  const opened = await open().catch(async (error: unknown) => {
    await close()
    throw error
  })
  let left = opened.evals.length
  const onEnd = () => {
    left -= 1
    return left === 0 ? close() : undefined
  }
  for (const one of opened.evals) {
    const tested = new TestedEval(one, { ...opened, repeat, onEnd })
    for (const { id } of one.cases) test(titleOf(one.id, id), () => tested.check(id), timeoutMs)
  }
  // when tests were left out
  afterAll(close)
}

function titleOf(evalId: string, caseId: string): string {
  return evalId === NO_EVAL || caseId.startsWith(`${evalId}/`) ? caseId : `${evalId} ${caseId}`
}

async function scratchServer(config: AgentServerConfig | undefined, root: string): Promise<ScratchServer> {
  const openLogs = () =>
    // what fails is in the error of its test
    new ServerLogs({
      root,
      level: 'silent',
      clock: systemClock,
      spanIds: activeSpanIds,
      print: () => undefined,
    })
  if (!config) return ScratchServer.load({ project: findProject({ cwd: root }), mode: 'test', openLogs })
  const resolved = resolveConfig({ ...config, database: ':memory:' }, 'evalCases()', { env: {} })
  return new ScratchServer(resolved, { root, openLogs })
}
