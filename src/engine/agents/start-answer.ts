import type * as Ai from 'ai'
import type { Agent } from '../../agent/agent.ts'
import { withClient } from '../../agent/client-additions.ts'
import { generate } from '../../agent/answer/generate.ts'
import type { GenerateOptions } from '../../agent/answer/generate.ts'
import type { Waits } from '../../agent/answer/waiting/pending-calls.ts'
import { callsTools, recalledAnswer, usageOfAnswer } from '../../agent/answer/journal/recorded-answer.ts'
import type { RecordedCalls } from '../../agent/answer/journal/recorded-calls.ts'
import { assertRequestedTools } from '../../agent/answer/loop.ts'
import { streamAnswer } from '../../agent/answer/stream-answer.ts'
import { promptOf, toModelMessages } from '../../agent/answer/to-model-messages.ts'
import { sumUsage } from '../../agent/answer/usage.ts'
import { resumeAnswer } from '../../agent/answer/waiting/resumed-answer.ts'
import type {
  PendingResponses,
  ResumedAnswer,
  WaitingAnswer,
} from '../../agent/answer/waiting/resumed-answer.ts'
import { blockedAnswer } from '../../agent/guardrails/blocked-answer.ts'
import { blockedStream } from '../../agent/guardrails/blocked-stream.ts'
import { guardInput } from '../../agent/guardrails/guard-input.ts'
import { BlockSignal } from '../../agent/guardrails/guardrail.ts'
import { loadPackage } from '../../agent/models/load-package.ts'
import { chooseModels } from '../../agent/models/model-choice.ts'
import type { ModelChoice, ModelSettings } from '../../agent/models/model-choice.ts'
import { retrieve, withDocuments } from '../../agent/answer/retrieve.ts'
import { resolveAgent, modelList } from '../../agent/resolve-agent.ts'
import type { ResolvedAgent } from '../../agent/resolve-agent.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { NewId } from '../../lib/ids.ts'
import { compileSchema } from '../../lib/schema/schema.ts'
import type { JsonSchema, Schema } from '../../lib/schema/schema.ts'
import type { AgentRunRow } from '../../store/agent-store.ts'
import type { RunningMessages } from '../../store/agents/conversation-store.ts'
import type { Store } from '../../store/store.ts'
import { whenAvailable } from '../database-outage.ts'
import { checkSchema, userIdOf } from './agent-call.ts'
import type { AgentCall } from './agent-call.ts'
import { lastMessages, recall, receivedMessages, summarises } from './agent-memory.ts'
import { RunningAnswer } from './running-answer.ts'
import { setInput, setModel } from './agent-span.ts'
import { agentInput } from './continuation.ts'
import type { StoredContinuation, AnswerFacts } from './continuation.ts'
import type { DurableOrigin, StartedAnswer, StartAnswerDeps } from './running-answer.ts'
import { withMemoryTool } from './working-memory-of.ts'

/** The calls that answers to callers of the API wait for. */
const APPROVALS: Waits = { approvals: true, clientTools: false }

/**
 * Validates a call, loads its conversation and records the run.
 *
 * @throws AppError `invalid_input` naming the field, or a tool that the agent lacks; `unavailable` when there is no model.
 */
export async function startAnswer(
  agent: Agent,
  call: AgentCall,
  deps: StartAnswerDeps,
): Promise<StartedAnswer> {
  const { store, projectDir, span } = deps
  const { input, schema, inputPath = 'input', options = {}, user, waits = APPROVALS, signal, client } = call
  if (schema !== undefined) checkSchema(schema)
  const ai = await loadPackage<typeof Ai>('ai@6', projectDir)
  const sent = await toModelMessages(input, { ai, inputPath })
  const received = await passInput(agent, call, { ai, sent })
  if (received instanceof BlockSignal) return startBlocked(agent, call, { ...deps, ai, blocked: received })
  const { earlier = [] } = call
  const {
    messages: own,
    taken,
    runningMessages,
  } = await whenAvailable(
    store,
    () =>
      recall(
        { agent, call, received, startedAt: deps.clock.now() },
        { ...deps, conversations: store.conversations },
      ),
    call.signal,
  )
  const messages = earlier.length === 0 ? own : [...earlier, ...own]
  const prompt = promptOf(taken.length === 0 ? messages : [...earlier, ...taken])
  const asked = { prompt, options, user: user ?? null }
  const documents = await retrieve(agent, agentInput(asked), { signal, trace: span })
  const added = { ...(client && { client }), ...(documents && { documents }) }
  const request = { ...asked, ...added }
  const chosen = await chooseFor(agent, request, { ...deps, signal })
  await assertRequestedTools(chosen.agent, options)
  const [model] = chosen.models
  const accepted = { ...call, input: recordedInput(call, { sent, received, taken }) }
  setInput(span, accepted.input)
  const row = newRow(agent, accepted, { ...deps, model: `${model.provider}/${model.modelId}` })
  const facts: AnswerFacts = {
    prompt,
    sent: messages,
    runningMessages,
    // the schemas of callers are JSON; those of steps are not stored
    schema: deps.requester === 'step' ? null : ((schema ?? null) as JsonSchema | null),
    options,
    user: user ?? null,
    waits,
    delivery: deps.durable?.delivery ?? null,
    span: span.spanIds ?? null,
    ...added,
  }
  const continuation = deps.durable && JSON.stringify(facts)
  await store.agentRuns.insert(
    row,
    continuation,
    runningMessages ? receivedMessages(runningMessages) : undefined,
  )
  return openAnswer(chosen, { row, facts, schema, signal }, deps)
}

/** A run that continues: the calls that it waited for have their responses, or its process has ended. */
export interface ResumedCall {
  readonly row: AgentRunRow
  readonly continuation: StoredContinuation
  readonly responses: PendingResponses
  /** The schema of the answer. */
  readonly schema: Schema | undefined
  readonly signal: AbortSignal
}

/** Prepares a run that continues. This process owns it. */
export async function continueAnswer(
  agent: Agent,
  call: ResumedCall,
  deps: StartAnswerDeps,
): Promise<StartedAnswer> {
  const { row, continuation, responses, schema, signal } = call
  const { waiting, counted, ...facts } = continuation
  const chosen = await chooseFor(agent, facts, { ...deps, signal })
  const resumed = waiting && resumeAnswer(waiting, responses)
  return openAnswer(chosen, { row, facts, schema, signal, resumed, waiting, counted }, deps)
}

/** A run that has recorded calls of another one. */
export interface ReplayedCall {
  readonly row: AgentRunRow
  readonly facts: AnswerFacts
  /** Its copied calls of the model, which are counted for the other run. */
  readonly counted: number
  readonly schema: Schema | undefined
  readonly signal: AbortSignal
}

/** Prepares and records a run that begins with recorded calls of another one. It neither reads nor extends a conversation. */
export async function replayAnswer(
  agent: Agent,
  call: ReplayedCall,
  deps: StartAnswerDeps,
): Promise<StartedAnswer> {
  const { row, facts, counted, schema, signal } = call
  const chosen = await chooseFor(agent, facts, { ...deps, signal })
  await deps.store.agentRuns.insert(row, JSON.stringify({ ...facts, counted } satisfies StoredContinuation))
  return openAnswer(chosen, { row, facts, schema, signal, counted }, deps)
}

/** An agent with the options and the models of one request. */
interface ChosenAgent {
  readonly agent: ResolvedAgent
  readonly models: readonly [ModelChoice, ...ModelChoice[]]
}

async function chooseFor(
  agent: Agent,
  facts: Pick<AnswerFacts, 'prompt' | 'options' | 'user' | 'instructions' | 'client' | 'documents'>,
  {
    env,
    production,
    span,
    signal,
    traceId,
    modelRecorder,
  }: StartAnswerDeps & { readonly signal: AbortSignal },
): Promise<ChosenAgent> {
  const { instructions, client, documents } = facts
  const given = { instructions, model: modelRecorder?.modelOf?.(agent.id) }
  const resolved = await resolveAgent(agent, agentInput(facts), signal, given)
  const chosen = chooseModels(resolved.models, { env, production }) as [ModelChoice]
  const { recordedModel } = modelRecorder?.of({ agentId: agent.id, traceId }) ?? {}
  const models: [ModelChoice] = chosen[0].origin === 'demo' && recordedModel ? [recordedModel] : chosen
  setModel(span, models[0])
  return { agent: withDocuments(await withClient(resolved, client), documents), models }
}

interface OpenAnswer {
  readonly row: AgentRunRow
  readonly facts: AnswerFacts
  readonly schema: Schema | undefined
  readonly signal: AbortSignal
  readonly resumed?: ResumedAnswer | undefined
  /** Set with `resumed`. */
  readonly waiting?: WaitingAnswer | undefined
  readonly counted?: StoredContinuation['counted']
}

function openAnswer(chosen: ChosenAgent, open: OpenAnswer, deps: StartAnswerDeps): StartedAnswer {
  const { row, facts, schema, signal, resumed, waiting, counted = 0 } = open
  const { models } = chosen
  const { userId, requester } = row
  const answered = { user: facts.user ?? undefined, userId, withoutMemory: requester === 'agent' }
  const agent = withMemoryTool(chosen.agent, answered, deps)
  const onStored = ({ key }: RunningMessages) => {
    if (!summarises(agent)) return
    deps.onExtended({ agent, key, lastMessages: lastMessages(agent), runId: row.id, traceId: row.traceId })
  }
  const { logger, env, projectDir, redact, meter, prices, span, heldCalls, callSubAgent } = deps
  const { durable, modelRecorder, budgets, budgetOrigin, listener } = deps
  const continuation =
    durable && (() => keptContinuation({ ...facts, ...(waiting && { waiting }) }, durable.calls))
  const isRetried = waiting && durable?.isRetried
  const answer = new RunningAnswer(row, { ...deps, onStored, continuation, isRetried }, signal)
  answer.usage.skip(counted)
  const {
    context,
    conversationId,
    userId: _claimed,
    contextLimit: _limit,
    resumable: _resumable,
    pauseAt,
    output: _output,
    ...settings
  } = facts.options
  const request: GenerateOptions = {
    prompt: facts.prompt,
    messages: [...facts.sent, ...(resumed?.messages ?? [])],
    schema,
    settings,
    signal: answer.signal,
    context,
    userId: row.userId ?? undefined,
    user: facts.user ?? undefined,
    conversationId,
    logger: logger.child({ agentId: agent.id, runId: answer.id }),
    env,
    projectDir,
    redact,
    trace: span,
    onUsage: (usage, { provider, modelId }) => answer.usage.add(usage, `${provider}/${modelId}`),
    onModelCallStart: () => answer.usage.beginCall(),
    onModelCall: (modelCall) => {
      answer.usage.endCall()
      meter.modelCall(modelCall)
    },
    prices: prices(),
    budget: budgets.ofRun(agent, row, budgetOrigin),
    recorder: modelRecorder?.of({ agentId: agent.id, traceId: row.traceId }),
    models,
    onModel: (next) => {
      setModel(span, next)
      answer.setModel(next)
    },
    runId: answer.id,
    listener,
    calls: durable?.calls,
    pauseAt,
    onRecalledUsage: (usage) => answer.usage.addRecalled(usage),
    waits: facts.waits,
    heldCalls,
    resumed,
    callSubAgent: callSubAgent(answer, resumed),
  }
  return {
    answer,
    row,
    span,
    generate: () => generate(agent, request),
    stream: () => streamAnswer(agent, request),
    facts,
  }
}

/**
 * The continuation of a run that waits for a tool, or whose step is tried again later: it continues behind its last
 * recorded tool call. An answer without tool calls is the one that the step could not use, and is requested again.
 */
function keptContinuation(continuation: StoredContinuation, calls: RecordedCalls): StoredContinuation {
  const { waiting } = continuation
  const earlier = waiting?.steps.length ?? 0
  let last = earlier
  while (calls.answer(last + 1) !== undefined) last++
  if (last === earlier) return { ...continuation, counted: 0 }
  const answer = recalledAnswer(calls.answer(last))
  if (callsTools(answer)) return { ...continuation, counted: last - earlier }
  calls.forgetAnswer(last)
  const used = usageOfAnswer(answer)
  return {
    ...continuation,
    // it was paid for
    ...(waiting && { waiting: used ? { ...waiting, usage: sumUsage([waiting.usage, used]) } : waiting }),
    counted: last - earlier - 1,
  }
}

interface BlockedDeps extends StartAnswerDeps {
  readonly ai: typeof Ai
  readonly blocked: BlockSignal
}

/** Records a request that a guardrail blocked, without its input. */
async function startBlocked(agent: Agent, call: AgentCall, deps: BlockedDeps): Promise<StartedAnswer> {
  const { store, span, ai, blocked } = deps
  const model = modelOfBlocked(agent, deps)
  const row = {
    ...newRow(agent, call, { ...deps, model: `${model.provider}/${model.modelId}` }),
    input: JSON.stringify(null),
    options: null,
  }
  await store.agentRuns.insert(row)
  const answer = new RunningAnswer(row, deps, call.signal)
  const generated = blockedAnswer({ reason: blocked.reason, usage: [], model })
  return {
    answer,
    row,
    span,
    generate: async () => generated,
    stream: async () => blockedStream(generated, ai, answer.signal),
    facts: { ...NO_FACTS, options: call.options ?? {}, user: call.user ?? null },
  }
}

const NO_FACTS = {
  prompt: '',
  sent: [],
  runningMessages: null,
  schema: null,
  waits: APPROVALS,
  delivery: null,
  span: null,
} as const

/** The messages that pass the input guardrails, or the signal of the one that blocked. */
async function passInput(
  agent: Agent,
  call: AgentCall,
  { ai, sent }: { readonly ai: typeof Ai; readonly sent: readonly Ai.ModelMessage[] },
): Promise<readonly Ai.ModelMessage[] | BlockSignal> {
  const { guardrails, id: agentId } = agent
  if (guardrails.input.length + guardrails.output.length === 0) return sent
  const { context = {}, conversationId } = call.options ?? {}
  try {
    return await guardInput(sent, {
      agentId,
      guardrails,
      request: { user: call.user, context, conversationId, signal: call.signal },
      isList: typeof call.input !== 'string',
      readMessages: (messages) => toModelMessages(messages, { ai, inputPath: 'replace' }),
    })
  } catch (error) {
    if (error instanceof BlockSignal) return error
    throw error
  }
}

interface InputMessages {
  readonly sent: readonly Ai.ModelMessage[]
  /** Those that passed the guardrails. */
  readonly received: readonly Ai.ModelMessage[]
  /** Those that became part of the conversation. */
  readonly taken: readonly Ai.ModelMessage[]
}

/** What is recorded of an input: as it was sent, unless a guardrail has replaced it or earlier messages were not taken. */
function recordedInput({ input }: AgentCall, { sent, received, taken }: InputMessages): AgentCall['input'] {
  if (taken === sent) return input
  if (typeof input === 'string') return taken.length === 1 ? promptOf(taken) : taken
  // the new messages of the user are one message each
  const isSent = received === sent && taken.every(({ role }) => role === 'user')
  return isSent ? input.slice(input.length - taken.length) : taken
}

/** The model that would have been called first for a request that is blocked. */
function modelOfBlocked({ model }: Agent, settings: ModelSettings): ModelChoice {
  const none: ModelChoice = { provider: 'none', modelId: 'none', origin: 'agent' }
  if (typeof model === 'function') return none
  try {
    return chooseModels(modelList(model), settings)[0] ?? none
  } catch (error) {
    if (error instanceof AppError) return none
    throw error
  }
}

interface RowParts {
  readonly store: Pick<Store, 'ownerEpoch'>
  readonly clock: Clock
  readonly newId: NewId
  readonly traceId: string
  readonly model: string
  readonly requester?: AgentRunRow['requester']
  readonly parentId?: string
  readonly durable?: DurableOrigin | undefined
}

/** The row of a run that starts. */
function newRow(agent: Agent, call: AgentCall, parts: RowParts): AgentRunRow {
  const { store, clock, newId, traceId, model, requester = null, parentId = null, durable } = parts
  return {
    id: newId(),
    agentId: agent.id,
    status: 'running',
    ownerEpoch: store.ownerEpoch,
    startedAt: clock.now(),
    endedAt: null,
    userId: userIdOf(call),
    // a trial is no part of a conversation
    conversationId: (requester === 'lab' ? undefined : call.options?.conversationId) ?? null,
    traceId,
    input: JSON.stringify(call.input),
    output: null,
    error: null,
    model,
    usage: null,
    steps: null,
    requester,
    parentId,
    requestKey: durable?.requestKey ?? null,
    expiresAt: null,
    blockedReason: null,
    options: optionsOf(call),
  }
}

/** What is recorded of the options: what has no column of its own, and the JSON Schema of an object. */
function optionsOf({ options = {}, schema, client, response }: AgentCall): string | null {
  const { userId: _user, conversationId: _conversation, resumable: _resumable, ...rest } = options
  const recorded = {
    ...rest,
    ...(schema !== undefined && { schema: compileSchema(schema).input }),
    ...(client && { client }),
    ...(response && { response }),
  }
  const text = JSON.stringify(recorded)
  return text === '{}' ? null : text
}
