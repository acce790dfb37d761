import { ApiError } from '../../client/api-error.ts'
import type { CallOf } from '../../client/call.ts'
import type { ApiClient } from '../../client/api.ts'
import type { AgentDetail } from '../../contract/endpoints/agent.ts'
import type { AgentStreamPart } from '../../contract/agent-event.ts'
import { modelsText } from '../../client/models-text.ts'
import type { Endpoints } from '../../contract/index.ts'
import { AppError } from '../../lib/errors.ts'
import { randomHexGenerator } from '../../lib/ids.ts'
import { canPrompt, promptOrLeave } from '../options/prompt.ts'
import { decideApprovals, noteWaiting } from '../chat/decide-approvals.ts'
import type { CallDecision } from '../chat/decide-approvals.ts'
import { printResponse } from '../chat/print-response.ts'
import type { WaitingRun } from '../chat/print-response.ts'
import { runConversation } from '../chat/run-conversation.ts'
import { connect } from '../connect/connect.ts'
import type { Connection } from '../connect/connect.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { readCaller } from '../options/execution-options.ts'
import { EXIT } from '../exit-code.ts'
import type { ExitCode } from '../exit-code.ts'
import { unknownNameHint, withHints } from '../error-hints.ts'
import { readTextArgument } from '../options/json-argument.ts'
import { oneLine } from '../print/terminal.ts'
import type { Terminal } from '../print/terminal.ts'

export const chat: CliCommand = {
  define: (command) => {
    command
      .argument('<agent>', 'id of the agent')
      .option('--input <text>', 'send one message and exit: text, @file, or - for stdin')
      .option('--conversation <id>', 'conversation to continue')
      .option('--user <id>', 'user id')
      .option('--context <json>', 'context for tools: a JSON object, @file, or - for stdin')
      .addHelpText(
        'after',
        examples(
          'chat support',
          `chat support --input 'Where is order A-1?'`,
          'chat support --input @question.txt --conversation c-1 --json',
        ),
      )
  },
  run: async (call) => {
    const [id = ''] = call.args
    const input = await readMessage(call)
    const options = await readCaller(call)
    const { client, consoleLink } = await connect(call)
    const agent = await describe(client, id)
    if (agent?.served === false)
      throw new AppError('not_found', `Agent "${id}" is used by steps and agents only`, {
        hint: 'To chat with it, add it to "agents" in the configuration.',
      })
    call.lifetime.waitsFor = `Agent "${id}"`
    if (input !== undefined) return sendOnce({ id, input, options }, { client, consoleLink, call })
    const conversationId = options.conversationId ?? `chat-${randomHexGenerator()(4)}`
    const hasMemory = agent?.memory !== false
    const link = await consoleLink(pageOf(id, hasMemory ? { ...options, conversationId } : {}))
    greet(agent, { id, conversationId, hasMemory, link, terminal: call.terminal })
    return runConversation(
      {
        agentId: id,
        send: (text, signal) =>
          send({ id, input: text, options: { ...options, conversationId } }, { client, signal }),
        decide: (run, decisions, signal) => decide(client, { id, run, decisions, signal }),
      },
      call.terminal,
    )
  },
}

type Options = NonNullable<CallOf<Endpoints['streamText']>['body']['options']>

interface Message {
  readonly id: string
  readonly input: string
  readonly options: Options
}

/** The message of `--input`. Undefined without it on a terminal, where messages are typed. */
async function readMessage({ options, terminal }: CommandCall): Promise<string | undefined> {
  const value = options['input'] as string | undefined
  if (value === undefined) {
    if (canPrompt(terminal) && !terminal.json) return undefined
    throw new AppError('invalid_input', 'No input: pass --input or run in a terminal', {
      hint: `Example: --input 'Good morning', or --input - to read stdin`,
    })
  }
  const text = (await readTextArgument({ option: '--input', value, terminal })).trimEnd()
  if (text.trim() === '') throw new AppError('invalid_input', '--input is empty')
  return text
}

/** The agent. Undefined if the caller has no access to its description. */
async function describe(client: ApiClient, id: string): Promise<AgentDetail | undefined> {
  const response = withHints(client.getAgent({ params: { id } }), async ({ status }) => {
    if (status !== 404) return undefined
    const ids = (await client.listAgents()).filter(({ served }) => served).map((agent) => agent.id)
    return unknownNameHint(id, ids, 'agents')
  })
  try {
    return await response
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return undefined
    throw error
  }
}

async function* send(
  { id, input, options }: Message,
  { client, signal }: { client: ApiClient; signal: AbortSignal },
): AsyncGenerator<AgentStreamPart> {
  try {
    yield* client.streamText({ params: { id }, body: { input, options }, signal })
  } catch (cause) {
    // fetch throws a TypeError if the response body ends early
    if (!(cause instanceof TypeError)) throw cause
    throw new AppError(
      'unreachable',
      'The connection to the server was lost before the response was complete',
      {
        cause,
      },
    )
  }
}

interface Decided {
  readonly id: string
  readonly run: WaitingRun
  readonly decisions: readonly CallDecision[]
  readonly signal: AbortSignal
}

/** The rest of an answer, after decisions about its calls, as the parts that are printed. */
async function* decide(
  client: ApiClient,
  { id, run: { runId, approvals }, decisions, signal }: Decided,
): AsyncGenerator<AgentStreamPart> {
  const [{ wait, input } = {}] = decisions
  const params = { id, runId }
  const answer = await (wait === undefined
    ? client.respondToRun({ params, body: { approvals: [...decisions] }, signal })
    : client.resumeRun({ params, body: { stepId: wait, resumeData: input }, signal }))
  const { finishReason, usage, model, traceId } = answer
  if ('text' in answer) {
    const decided = new Set(approvals.map(({ toolCallId }) => toolCallId))
    const results = answer.toolResults.filter(({ toolCallId }) => decided.has(toolCallId))
    for (const { toolCallId, toolName, output, error } of results)
      yield error === undefined
        ? { type: 'tool-result', toolCallId, toolName, output }
        : { type: 'tool-error', toolCallId, toolName, error }
    yield { type: 'text-delta', id: answer.id, text: answer.text }
  } else yield { type: 'text-delta', id: answer.id, text: JSON.stringify(answer.object) }
  const { approvals: asked, waits } = answer
  const pending = { ...(asked && { approvals: asked }), ...(waits && { waits }) }
  yield { type: 'finish', id: answer.id, finishReason, usage, model, traceId, ...pending }
}

async function sendOnce(
  message: Message,
  {
    client,
    consoleLink,
    call: { terminal, lifetime },
  }: Pick<Connection, 'client' | 'consoleLink'> & { call: CommandCall },
): Promise<ExitCode> {
  const abort = new AbortController()
  const { signal } = abort
  lifetime.onInterrupt(() => abort.abort())
  try {
    if (!terminal.json) {
      let { end, runId, waiting } = await printResponse(send(message, { client, signal }), terminal)
      const ask = (question: string) => promptOrLeave(question, terminal)
      while (waiting && canPrompt(terminal)) {
        const decisions = await decideApprovals(waiting, message.id, { ask, terminal })
        if (!decisions) return EXIT.done
        const rest = decide(client, { id: message.id, run: waiting, decisions, signal })
        ;({ end, runId, waiting } = await printResponse(rest, terminal))
      }
      if (waiting) noteWaiting(waiting, message.id, terminal)
      const link = runId && (await consoleLink(pageOf(message.id, { ...message.options, runId })))
      if (link !== undefined) terminal.note(terminal.notePaint.dim(link))
      return end === 'finished' ? EXIT.done : EXIT.failed
    }
    const { id, ...body } = message
    terminal.printValue(await client.generateText({ params: { id }, body, signal }))
    return EXIT.done
  } catch (error) {
    // 503 here means that the agent's model is unavailable, not the server
    if (!(error instanceof ApiError) || error.status !== 503) throw error
    throw new AppError('execution_failed', error.message, { cause: error })
  }
}

interface Page {
  readonly conversationId?: string | undefined
  readonly userId?: string | undefined
  readonly runId?: string
}

/** The page of the console with a conversation, else with a run, else with all runs of an agent. */
function pageOf(agentId: string, { conversationId, userId, runId }: Page): string {
  const query = new URLSearchParams(
    conversationId === undefined
      ? { tab: 'history', ...(runId !== undefined && { run: runId }) }
      : { conversation: conversationId, ...(userId !== undefined && { user: userId }) },
  )
  return `agents/${encodeURIComponent(agentId)}?${query.toString()}`
}

interface Greeting {
  readonly id: string
  readonly conversationId: string
  readonly hasMemory: boolean
  readonly link: string | undefined
  readonly terminal: Terminal
}

function greet(
  agent: AgentDetail | undefined,
  { id, conversationId, hasMemory, link, terminal }: Greeting,
): void {
  const { notePaint: paint } = terminal
  const models = agent && modelsText(agent)
  const model = models === undefined ? '' : ` ${paint.dim(oneLine(models))}`
  const memory = hasMemory ? `Conversation ${conversationId}` : 'No memory'
  terminal.note(`${paint.bold(oneLine(agent?.name ?? id))}${model}`)
  terminal.note(paint.dim(`${memory}. Ctrl-C stops the response; Ctrl-C twice or Ctrl-D exits.`))
  if (link !== undefined) terminal.note(paint.dim(link))
}
