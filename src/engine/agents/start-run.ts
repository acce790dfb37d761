import type * as Ai from 'ai'
import type { Logger } from 'pino'
import type { Agent } from '../../agent/agent.ts'
import { resolveAgent, type ResolvedAgent } from '../../agent/resolve-agent.ts'
import type { Generated, GenerateOptions } from '../../agent/answer/generate.ts'
import { loadPackage } from '../../agent/models/load-package.ts'
import { chooseModels, type ModelChoice } from '../../agent/models/model-choice.ts'
import type { Environment } from '../../agent/models/model-provider.ts'
import type { ModelPrices } from '../../agent/prices/model-price.ts'
import type { CallSubAgent } from '../../agent/answer/prepare-call.ts'
import { promptOf, toModelMessages } from '../../agent/answer/to-model-messages.ts'
import type { OpenSpan, TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { Clock } from '../../lib/clock.ts'
import type { NewId } from '../../lib/ids.ts'
import type { AgentRunRow } from '../../store/agent-store.ts'
import type { Exchange } from '../../store/agents/conversation-store.ts'
import { whenAvailable } from '../database-outage.ts'
import type { Store } from '../../store/store.ts'
import type { EngineMeter } from '../engine-meter.ts'
import { type AgentCall, checkSchema, userIdOf } from './agent-call.ts'
import { recall } from './agent-memory.ts'
import { AgentRun } from './agent-run.ts'
import { setModel } from './agent-span.ts'

/** The dependencies that all runs of a process share. */
export interface AgentRunDeps {
  readonly store: Store
  readonly clock: Clock
  readonly newId: NewId
  readonly logger: Logger
  readonly resultBytes: number
  readonly env: Environment
  readonly production: boolean
  readonly projectDir: string
  /** Redacts secrets in error messages. */
  readonly redact: (text: string) => string
  readonly meter: EngineMeter
  /** The prices of the current configuration. */
  readonly prices: () => ModelPrices
}

/** A run that was started, and the request to its model. */
export interface StartedRun {
  readonly agent: ResolvedAgent
  readonly run: AgentRun
  readonly request: GenerateOptions
  readonly exchange: (generated: Generated) => Exchange | undefined
}

/** The execution that a run belongs to. */
export interface RunOrigin {
  readonly traceId?: string
  readonly logger?: Logger
  /** The scope of the run's span. */
  readonly trace?: TraceScope | undefined
  /** Whose part it is. Default: a caller's. */
  readonly requester?: AgentRunRow['requester']
  /** The execution or the run that it is a part of. */
  readonly parentId?: string
}

/** Dependencies of one run. */
export interface StartRunDeps extends AgentRunDeps {
  readonly traceId: string
  readonly span: OpenSpan
  readonly requester?: AgentRunRow['requester']
  readonly parentId?: string
  /** Creates the function that calls sub-agents on behalf of the run. */
  readonly callSubAgent: (run: AgentRun) => CallSubAgent
}

/**
 * Validates a call, loads its conversation and records the run.
 *
 * @throws AppError `invalid_input` naming the field; `unavailable` when there is no model.
 */
export async function startRun(agent: Agent, call: AgentCall, deps: StartRunDeps): Promise<StartedRun> {
  const {
    store,
    clock,
    logger,
    resultBytes: limit,
    env,
    production,
    projectDir,
    redact,
    meter,
    prices,
    span,
    callSubAgent,
  } = deps
  const { input, schema, inputPath = 'input' } = call
  if (schema !== undefined) checkSchema(schema)
  const ai = await loadPackage<typeof Ai>('ai@6', projectDir)
  const received = await toModelMessages(input, { ai, inputPath })
  const { context, conversationId, userId: _claimed, contextLimit: _limit, ...settings } = call.options ?? {}
  const prompt = promptOf(received)
  const resolved = await resolveAgent(
    agent,
    { user: call.user, context: context ?? {}, conversationId, input: prompt },
    call.signal,
  )
  const models = chooseModels(resolved.models, { env, production })
  const [model] = models as [ModelChoice]
  setModel(span, model)
  const { messages, exchange } = await whenAvailable(
    store,
    () => recall({ agent, call, received, startedAt: clock.now() }, store.conversations),
    call.signal,
  )
  const row = newRow(agent, call, { ...deps, model: `${model.provider}/${model.modelId}` })
  await store.agentRuns.insert(row)
  const run = new AgentRun(
    row,
    { runs: store.agentRuns, clock, logger, limit, redact, production, meter, span },
    call.signal,
  )
  const request: GenerateOptions = {
    prompt,
    messages,
    schema,
    settings,
    signal: run.signal,
    context,
    userId: row.userId ?? undefined,
    user: call.user,
    conversationId,
    logger: logger.child({ agentId: agent.id, runId: run.id }),
    env,
    projectDir,
    redact,
    trace: span,
    onUsage: (usage) => run.addUsage(usage),
    onModelCall: (modelCall) => meter.modelCall(modelCall),
    prices: prices(),
    models,
    onModel: (next) => {
      setModel(span, next)
      run.setModel(next)
    },
    callSubAgent: callSubAgent(run),
  }
  return { agent: resolved, run, request, exchange }
}

interface RowParts extends Pick<AgentRunDeps, 'store' | 'clock' | 'newId'> {
  readonly traceId: string
  readonly model: string
  readonly requester?: AgentRunRow['requester']
  readonly parentId?: string
}

function newRow(agent: Agent, call: AgentCall, parts: RowParts): AgentRunRow {
  const { store, clock, newId, traceId, model, requester = null, parentId = null } = parts
  return {
    id: newId(),
    agentId: agent.id,
    status: 'running',
    ownerEpoch: store.ownerEpoch,
    startedAt: clock.now(),
    endedAt: null,
    userId: userIdOf(call),
    conversationId: call.options?.conversationId ?? null,
    traceId,
    input: JSON.stringify(call.input),
    output: null,
    error: null,
    model,
    usage: null,
    steps: null,
    requester,
    parentId,
    requestKey: null,
    expiresAt: null,
    blockedReason: null,
    crashes: 0,
  }
}

/** Runs user code so that its own spans are children of the answer's span. */
export function within<T>({ request: { trace } }: StartedRun, work: () => T): T {
  return trace ? trace.run(work) : work()
}
