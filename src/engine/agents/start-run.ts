import { keptContinuation } from './durable/kept-run.ts'
import type * as Ai from 'ai'
import type { Agent } from '../../agent/agent.ts'
import { resolveAgent, type ResolvedAgent } from '../../agent/resolve-agent.ts'
import { BlockSignal } from '../../agent/guardrails/guardrail.ts'
import { generate, type GenerateOptions } from '../../agent/answer/generate.ts'
import { assertRequestedTools } from '../../agent/answer/loop.ts'
import { streamAnswer } from '../../agent/answer/stream-answer.ts'
import {
  type PendingResponses,
  type ResumedAnswer,
  type WaitingAnswer,
  resumeAnswer,
} from '../../agent/answer/waiting/resumed-answer.ts'
import { loadPackage } from '../../agent/models/load-package.ts'
import { chooseModels, type ModelChoice } from '../../agent/models/model-choice.ts'
import { promptOf, toModelMessages } from '../../agent/answer/to-model-messages.ts'
import type { JsonSchema, Schema } from '../../lib/schema/schema.ts'
import type { AgentRunRow } from '../../store/agent-store.ts'
import { whenAvailable } from '../database-outage.ts'
import { type AgentCall, checkSchema } from './agent-call.ts'
import type { Exchange } from '../../store/agents/conversation-store.ts'
import { lastMessages, recall, receivedExchange, summarises } from './agent-memory.ts'
import { withMemoryTool } from './working-memory-of.ts'
import { setInput, setModel } from './agent-span.ts'
import { passInput, recordedInput } from './start/pass-input.ts'
import { newRow } from './start/new-row.ts'
import { newRun } from './start/new-run.ts'
import { APPROVALS, type StartedRun, type StartRunDeps } from './start/run-deps.ts'
import { startBlocked } from './start/start-blocked.ts'
import { agentInput, type StoredContinuation, type RunFacts } from './continuation.ts'

/**
 * Validates a call, loads its conversation and records the run.
 *
 * @throws AppError `invalid_input` naming the field, or a tool that the agent lacks; `unavailable` when there is no model.
 */
export async function startRun(agent: Agent, call: AgentCall, deps: StartRunDeps): Promise<StartedRun> {
  const { store, projectDir, span } = deps
  const { input, schema, inputPath = 'input', options = {}, user, waits = APPROVALS, signal } = call
  if (schema !== undefined) checkSchema(schema)
  const ai = await loadPackage<typeof Ai>('ai@6', projectDir)
  const sent = await toModelMessages(input, { ai, inputPath })
  const received = await passInput(agent, call, { ai, sent })
  if (received instanceof BlockSignal) return startBlocked(agent, call, { ...deps, ai, blocked: received })
  const { messages, taken, exchange } = await whenAvailable(
    store,
    () =>
      recall(
        { agent, call, received, startedAt: deps.clock.now() },
        { ...deps, conversations: store.conversations },
      ),
    call.signal,
  )
  const prompt = promptOf(taken.length === 0 ? messages : taken)
  const chosen = await chooseFor(agent, { prompt, options, user: user ?? null }, { ...deps, signal })
  await assertRequestedTools(chosen.agent, options)
  const [model] = chosen.models
  const accepted = { ...call, input: recordedInput(call, { sent, received, taken }) }
  setInput(span, accepted.input)
  const row = newRow(agent, accepted, { ...deps, model: `${model.provider}/${model.modelId}` })
  const facts: RunFacts = {
    prompt,
    sent: messages,
    exchange,
    // the schemas of callers are JSON; those of steps are not stored
    schema: deps.requester === 'step' ? null : ((schema ?? null) as JsonSchema | null),
    options,
    user: user ?? null,
    waits,
    road: deps.durable?.road ?? null,
    span: span.spanIds ?? null,
  }
  const continuation = deps.durable && JSON.stringify(facts)
  await store.agentRuns.insert(row, continuation, exchange ? receivedExchange(exchange) : undefined)
  return openRun(chosen, { row, facts, schema, signal }, deps)
}

/** A run that goes on: the calls that it waited for have their responses, or its process has ended. */
export interface ResumedCall {
  readonly row: AgentRunRow
  readonly continuation: StoredContinuation
  readonly responses: PendingResponses
  /** The schema of the answer. */
  readonly schema: Schema | undefined
  readonly signal: AbortSignal
}

/** Prepares a run that goes on. This process owns it. */
export async function resumeRun(agent: Agent, call: ResumedCall, deps: StartRunDeps): Promise<StartedRun> {
  const { row, continuation, responses, schema, signal } = call
  const { waiting, counted, ...facts } = continuation
  const chosen = await chooseFor(agent, facts, { ...deps, signal })
  const resumed = waiting && resumeAnswer(waiting, responses)
  return openRun(chosen, { row, facts, schema, signal, resumed, waiting, counted }, deps)
}

/** A run that has recorded calls of another one. */
export interface ReplayedCall {
  readonly row: AgentRunRow
  readonly facts: RunFacts
  /** Its copied calls of the model, which are counted for the other run. */
  readonly counted: number
  readonly schema: Schema | undefined
  readonly signal: AbortSignal
}

/** Prepares and records a run that begins with recorded calls of another one. It neither reads nor extends a conversation. */
export async function replayRun(agent: Agent, call: ReplayedCall, deps: StartRunDeps): Promise<StartedRun> {
  const { row, facts, counted, schema, signal } = call
  const chosen = await chooseFor(agent, facts, { ...deps, signal })
  await deps.store.agentRuns.insert(row, JSON.stringify({ ...facts, counted } satisfies StoredContinuation))
  return openRun(chosen, { row, facts, schema, signal, counted }, deps)
}

/** An agent with the options and the models of one request. */
interface ChosenAgent {
  readonly agent: ResolvedAgent
  readonly models: readonly [ModelChoice, ...ModelChoice[]]
}

async function chooseFor(
  agent: Agent,
  facts: Pick<RunFacts, 'prompt' | 'options' | 'user' | 'instructions'>,
  { env, production, span, signal, traceId, modelRecorder }: StartRunDeps & { readonly signal: AbortSignal },
): Promise<ChosenAgent> {
  const { instructions } = facts
  const given = { instructions, model: modelRecorder?.modelOf?.(agent.id) }
  const resolved = await resolveAgent(agent, agentInput(facts), signal, given)
  const chosen = chooseModels(resolved.models, { env, production }) as [ModelChoice]
  const { recordedModel } = modelRecorder?.of({ agentId: agent.id, traceId }) ?? {}
  const models: [ModelChoice] = chosen[0].origin === 'demo' && recordedModel ? [recordedModel] : chosen
  setModel(span, models[0])
  return { agent: resolved, models }
}

interface OpenRun {
  readonly row: AgentRunRow
  readonly facts: RunFacts
  readonly schema: Schema | undefined
  readonly signal: AbortSignal
  readonly resumed?: ResumedAnswer | undefined
  /** Set with `resumed`. */
  readonly waiting?: WaitingAnswer | undefined
  readonly counted?: StoredContinuation['counted']
}

function openRun(chosen: ChosenAgent, open: OpenRun, deps: StartRunDeps): StartedRun {
  const { row, facts, schema, signal, resumed, waiting, counted = 0 } = open
  const { models } = chosen
  const { userId, requester } = row
  const answered = { user: facts.user ?? undefined, userId, withoutMemory: requester === 'agent' }
  const agent = withMemoryTool(chosen.agent, answered, deps)
  const onStored = ({ key }: Exchange) => {
    if (!summarises(agent)) return
    deps.onExtended({ agent, key, lastMessages: lastMessages(agent), runId: row.id, traceId: row.traceId })
  }
  const { logger, env, projectDir, redact, meter, prices, span, heldCalls, callSubAgent } = deps
  const { durable, modelRecorder, budgets, budgetOrigin, listener } = deps
  const continuation =
    durable && (() => keptContinuation({ ...facts, ...(waiting && { waiting }) }, durable.calls))
  const run = newRun(row, signal, {
    ...deps,
    onStored,
    continuation,
    isRetried: waiting && durable?.isRetried,
  })
  run.usage.skip(counted)
  const {
    context,
    conversationId,
    userId: _claimed,
    contextLimit: _limit,
    resumable: _resumable,
    pauseAt,
    ...settings
  } = facts.options
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
    onUsage: (usage, { provider, modelId }) => run.usage.add(usage, `${provider}/${modelId}`),
    onModelCallStart: () => run.usage.beginCall(),
    onModelCall: (modelCall) => {
      run.usage.endCall()
      meter.modelCall(modelCall)
    },
    prices: prices(),
    budget: budgets.ofRun(agent, row, budgetOrigin),
    recorder: modelRecorder?.of({ agentId: agent.id, traceId: row.traceId }),
    models,
    onModel: (next) => {
      setModel(span, next)
      run.setModel(next)
    },
    runId: run.id,
    listener,
    calls: durable?.calls,
    pauseAt,
    onRecalledUsage: (usage) => run.usage.addRecalled(usage),
    waits: facts.waits,
    heldCalls,
    resumed,
    callSubAgent: callSubAgent(run, resumed),
  }
  return {
    run,
    row,
    span,
    generate: () => generate(agent, request),
    stream: () => streamAnswer(agent, request),
    facts,
  }
}
