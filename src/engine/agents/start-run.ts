import type * as Ai from 'ai'
import type { Logger } from 'pino'
import type { Agent } from '../../agent/agent.ts'
import { resolveAgent, type ResolvedAgent } from '../../agent/resolve-agent.ts'
import { blockedAnswer } from '../../agent/guardrails/blocked-answer.ts'
import { blockedStream } from '../../agent/guardrails/blocked-stream.ts'
import { BlockSignal } from '../../agent/guardrails/guardrail.ts'
import { generate, type Generated, type GenerateOptions } from '../../agent/answer/generate.ts'
import { type AnswerStream, streamAnswer } from '../../agent/answer/stream-answer.ts'
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
import { type AgentCall, checkSchema } from './agent-call.ts'
import type { Exchange } from '../../store/agents/conversation-store.ts'
import type { Extended } from '../conversations/summariser.ts'
import type { WorkingMemories } from '../conversations/working-memories.ts'
import { lastMessages, recall, summarises } from './agent-memory.ts'
import { withMemoryTool } from './working-memory-of.ts'
import { AgentRun } from './agent-run.ts'
import { setInput, setModel } from './agent-span.ts'
import { modelOfBlocked, passInput, storedInput } from './start/pass-input.ts'
import { newRow } from './start/new-row.ts'
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
  readonly run: AgentRun
  readonly span: OpenSpan
  readonly generate: () => Promise<Generated>
  readonly stream: () => Promise<AnswerStream>
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
  const sent = await toModelMessages(input, { ai, inputPath })
  const received = await passInput(agent, call, { ai, sent })
  if (received instanceof BlockSignal) return startBlocked(agent, call, { ...deps, ai, blocked: received })
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
  const guarded = received === sent ? call : { ...call, input: storedInput(call, received) }
  if (agent.guardrails.input.length > 0) setInput(span, guarded.input)
  const row = newRow(agent, guarded, { ...deps, model: `${model.provider}/${model.modelId}` })
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

interface BlockedDeps extends StartRunDeps {
  readonly ai: typeof Ai
  readonly blocked: BlockSignal
}

/** Records a request that a guardrail blocked, without its input. */
async function startBlocked(agent: Agent, call: AgentCall, deps: BlockedDeps): Promise<StartedRun> {
  const { store, span, ai, blocked } = deps
  const model = modelOfBlocked(agent, deps)
  const row = {
    ...newRow(agent, call, { ...deps, model: `${model.provider}/${model.modelId}` }),
    input: JSON.stringify(null),
  }
  await store.agentRuns.insert(row)
  const run = newRun(row, call.signal, deps)
  const generated = blockedAnswer({ reason: blocked.reason, usage: [], model })
  return {
    run,
    span,
    generate: async () => generated,
    stream: async () => blockedStream(generated, ai, run.signal),
    facts: { ...NO_FACTS, options: call.options ?? {}, user: call.user ?? null },
  }
}

const NO_FACTS = { prompt: '', sent: [], exchange: null, schema: null, waits: APPROVALS, span: null } as const

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
  const { logger, env, projectDir, redact, meter, prices, span, heldCalls, callSubAgent } = deps
  const run = newRun(row, signal, { ...deps, onStored })
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
  return {
    run,
    span,
    generate: () => generate(agent, request),
    stream: () => streamAnswer(agent, request),
    facts,
  }
}

function newRun(
  row: AgentRunRow,
  signal: AbortSignal,
  deps: StartRunDeps & { readonly onStored?: (exchange: Exchange) => void },
): AgentRun {
  const { store, clock, logger, resultBytes: limit, redact, production, meter, span } = deps
  const { approvalsTimeoutMs, onStored = () => undefined } = deps
  const runs = store.agentRuns
  return new AgentRun(
    row,
    { runs, clock, logger, limit, redact, production, meter, span, approvalsTimeoutMs, onStored },
    signal,
  )
}

/** Runs user code so that its own spans are children of the answer's span. */
export function within<T>({ span }: StartedRun, work: () => T): T {
  return span.run(work)
}
