import type * as Ai from 'ai'
import type { Logger } from 'pino'
import type { Agent } from '../../agent/agent.ts'
import { resolveAgent, type ResolvedAgent } from '../../agent/resolve-agent.ts'
import type { GenerateOptions } from '../../agent/answer/generate.ts'
import type { Waits } from '../../agent/answer/waiting/pending-calls.ts'
import {
  type PendingResponses,
  type ResumedAnswer,
  resumeAnswer,
} from '../../agent/answer/waiting/resumed-answer.ts'
import type { HeldCalls } from '../../agent/tools/held-calls.ts'
import { loadPackage } from '../../agent/models/load-package.ts'
import { chooseModels, type ModelChoice } from '../../agent/models/model-choice.ts'
import type { Environment } from '../../agent/models/model-provider.ts'
import type { ModelPrices } from '../../agent/prices/model-price.ts'
import type { CallSubAgent } from '../../agent/answer/prepare-call.ts'
import { promptOf, toModelMessages } from '../../agent/answer/to-model-messages.ts'
import type { OpenSpan, TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { Clock } from '../../lib/clock.ts'
import type { NewId } from '../../lib/ids.ts'
import type { JsonSchema, Schema } from '../../lib/schema/schema.ts'
import type { AgentRunRow } from '../../store/agent-store.ts'
import { whenAvailable } from '../database-outage.ts'
import type { Store } from '../../store/store.ts'
import type { EngineMeter } from '../engine-meter.ts'
import { type AgentCall, checkSchema, userIdOf } from './agent-call.ts'
import type { Exchange } from '../../store/agents/conversation-store.ts'
import type { Extended } from '../conversations/summariser.ts'
import type { WorkingMemories } from '../conversations/working-memories.ts'
import { lastMessages, recall, summarises } from './agent-memory.ts'
import { withMemoryTool } from './working-memory-of.ts'
import { AgentRun } from './agent-run.ts'
import { setModel } from './agent-span.ts'
import { agentInput, type Continuation, type RunFacts } from './continuation.ts'

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
  readonly memories: WorkingMemories
  /** Whether the configuration has an auth provider. */
  readonly hasUsers: () => boolean
  /** Called when an answer has extended a conversation. */
  readonly onExtended: (extended: Extended) => void
  /** The prices of the current configuration. */
  readonly prices: () => ModelPrices
  /** How long a run waits for approvals and for tools of the client, in milliseconds. */
  readonly approvalsTimeoutMs: number
  /** The tool calls of suspended runs that wait for forms. */
  readonly heldCalls: HeldCalls
}

/** The calls that answers to callers of the API wait for. */
const APPROVALS: Waits = { approvals: true, clientTools: false }

/** A run that was started, and the request to its model. */
export interface StartedRun {
  /** With the options that apply to the request. */
  readonly agent: ResolvedAgent
  readonly run: AgentRun
  readonly request: GenerateOptions
  /** What the run needs to go on when its answer waits. */
  readonly facts: RunFacts
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
  readonly callSubAgent: (run: AgentRun, resumed: ResumedAnswer | undefined) => CallSubAgent
}

/**
 * Validates a call, loads its conversation and records the run.
 *
 * @throws AppError `invalid_input` naming the field; `unavailable` when there is no model.
 */
export async function startRun(agent: Agent, call: AgentCall, deps: StartRunDeps): Promise<StartedRun> {
  const { store, projectDir, span } = deps
  const { input, schema, inputPath = 'input', options = {}, user, waits = APPROVALS, signal } = call
  if (schema !== undefined) checkSchema(schema)
  const ai = await loadPackage<typeof Ai>('ai@6', projectDir)
  const received = await toModelMessages(input, { ai, inputPath })
  const prompt = promptOf(received)
  const chosen = await chooseFor(agent, { prompt, options, user: user ?? null }, { ...deps, signal })
  const { messages, exchange } = await whenAvailable(
    store,
    () =>
      recall(
        { agent, call, received, startedAt: deps.clock.now() },
        { ...deps, conversations: store.conversations },
      ),
    call.signal,
  )
  const [model] = chosen.models
  const row = newRow(agent, call, { ...deps, model: `${model.provider}/${model.modelId}` })
  await store.agentRuns.insert(row)
  const facts: RunFacts = {
    prompt,
    sent: messages,
    exchange,
    // the schemas of callers are JSON; those of steps are not stored
    schema: deps.requester === 'step' ? null : ((schema ?? null) as JsonSchema | null),
    options,
    user: user ?? null,
    waits,
    span: span.spanIds ?? null,
  }
  return openRun(chosen, { row, facts, schema, signal }, deps)
}

/** A run that goes on, because the calls that it waited for have their responses. */
export interface ResumedCall {
  readonly row: AgentRunRow
  readonly continuation: Continuation
  readonly responses: PendingResponses
  /** The schema of the answer. */
  readonly schema: Schema | undefined
  readonly signal: AbortSignal
}

/** Prepares a run that goes on. This process owns it. */
export async function resumeRun(agent: Agent, call: ResumedCall, deps: StartRunDeps): Promise<StartedRun> {
  const { row, continuation, responses, schema, signal } = call
  const { waiting, ...facts } = continuation
  const chosen = await chooseFor(agent, facts, { ...deps, signal })
  return openRun(chosen, { row, facts, schema, signal, resumed: resumeAnswer(waiting, responses) }, deps)
}

/** An agent with the options and the models of one request. */
interface ChosenAgent {
  readonly agent: ResolvedAgent
  readonly models: readonly [ModelChoice, ...ModelChoice[]]
}

async function chooseFor(
  agent: Agent,
  facts: Pick<RunFacts, 'prompt' | 'options' | 'user'>,
  { env, production, span, signal }: StartRunDeps & { readonly signal: AbortSignal },
): Promise<ChosenAgent> {
  const resolved = await resolveAgent(agent, agentInput(facts), signal)
  const models = chooseModels(resolved.models, { env, production }) as [ModelChoice]
  setModel(span, models[0])
  return { agent: resolved, models }
}

interface OpenRun {
  readonly row: AgentRunRow
  readonly facts: RunFacts
  readonly schema: Schema | undefined
  readonly signal: AbortSignal
  readonly resumed?: ResumedAnswer
}

function openRun(chosen: ChosenAgent, open: OpenRun, deps: StartRunDeps): StartedRun {
  const { row, facts, schema, signal, resumed } = open
  const { models } = chosen
  const { userId, requester } = row
  const answered = { user: facts.user ?? undefined, userId, withoutMemory: requester === 'agent' }
  const agent = withMemoryTool(chosen.agent, answered, deps)
  const onStored = ({ key }: Exchange) => {
    if (!summarises(agent)) return
    deps.onExtended({ agent, key, lastMessages: lastMessages(agent), runId: row.id, traceId: row.traceId })
  }
  const { store, clock, logger, resultBytes: limit, env, production, projectDir } = deps
  const { redact, meter, prices, span, approvalsTimeoutMs, heldCalls, callSubAgent } = deps
  const run = new AgentRun(
    row,
    {
      runs: store.agentRuns,
      clock,
      logger,
      limit,
      redact,
      production,
      meter,
      span,
      approvalsTimeoutMs,
      onStored,
    },
    signal,
  )
  const { context, conversationId, userId: _claimed, contextLimit: _limit, ...settings } = facts.options
  const request: GenerateOptions = {
    prompt: facts.prompt,
    messages: [...facts.sent, ...(resumed?.messages ?? [])],
    schema,
    settings,
    signal: run.signal,
    context,
    userId: row.userId ?? undefined,
    user: facts.user ?? undefined,
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
    runId: run.id,
    waits: facts.waits,
    heldCalls,
    resumed,
    callSubAgent: callSubAgent(run, resumed),
  }
  return { agent, run, request, facts }
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
