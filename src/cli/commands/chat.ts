import { ApiError } from '../../client/api-error.ts'
import type { CallOf, Client } from '../../client/create-client.ts'
import type { AgentDetail } from '../../contract/endpoints/agent.ts'
import type { AgentStreamPart } from '../../contract/agent-event.ts'
import type { Endpoints } from '../../contract/index.ts'
import { AppError } from '../../lib/errors.ts'
import { randomHexGenerator } from '../../lib/ids.ts'
import { canPrompt } from '../options/prompt.ts'
import { printAnswer } from '../chat/print-answer.ts'
import { talk } from '../chat/talk.ts'
import { connect } from '../connect/connect.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { givenCaller } from '../options/execution-options.ts'
import { EXIT } from '../exit-code.ts'
import type { ExitCode } from '../exit-code.ts'
import { withHints } from '../error-hints.ts'
import { readTextArgument } from '../options/json-argument.ts'
import { didYouMean } from '../../lib/did-you-mean.ts'
import { printError } from '../print/error.ts'
import { oneLine } from '../print/terminal.ts'
import type { Terminal } from '../print/terminal.ts'

export const chat: CliCommand = {
  define: (command) => {
    command
      .argument('<agent>', 'id of the agent')
      .option('--input <text>', 'ask once: a text, @file, or - for stdin')
      .option('--conversation <id>', 'the conversation to go on with')
      .option('--user <id>', 'the user who asks')
      .option('--context <json>', 'further data for tools: an object as JSON, @file, or - for stdin')
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
    const input = await givenText(call)
    const options = await givenCaller(call)
    const { client } = await connect(call)
    const agent = await describe(client, id)
    if (input !== undefined) return askOnce({ id, input, options }, { client, call })
    const conversationId = options.conversationId ?? `chat-${randomHexGenerator()(4)}`
    greet(agent, { id, conversationId, terminal: call.terminal })
    return talk(
      (text, signal) => ask({ id, input: text, options: { ...options, conversationId } }, { client, signal }),
      call.terminal,
    )
  },
}

type Options = NonNullable<CallOf<Endpoints['streamText']>['body']['options']>

interface Question {
  readonly id: string
  readonly input: string
  readonly options: Options
}

/** What is to be asked once; nothing where somebody sits before the terminal. */
async function givenText({ options, terminal }: CommandCall): Promise<string | undefined> {
  const given = options['input'] as string | undefined
  if (given === undefined) {
    if (canPrompt() && !terminal.json) return undefined
    throw new AppError('invalid_input', 'There is nothing to ask: no terminal to type on, and no --input', {
      hint: `Example: --input 'Good morning', or --input - to read stdin`,
    })
  }
  const text = (await readTextArgument({ option: '--input', given, terminal })).trimEnd()
  if (text.trim() === '') throw new AppError('invalid_input', '--input is empty')
  return text
}

/** The agent, where the caller may read about it. */
async function describe(client: Client, id: string): Promise<AgentDetail | undefined> {
  const found = withHints(client.getAgent({ params: { id } }), async ({ status }) => {
    if (status !== 404) return undefined
    const ids = (await client.listAgents()).filter(({ served }) => served).map((agent) => agent.id)
    const meant = didYouMean(id, ids)
    if (meant !== undefined) return `Did you mean "${meant}"?`
    return ids.length === 0 ? 'The configuration declares no agents.' : `There are: ${ids.join(', ')}`
  })
  try {
    return await found
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return undefined
    throw error
  }
}

async function* ask(
  { id, input, options }: Question,
  { client, signal }: { client: Client; signal: AbortSignal },
): AsyncGenerator<AgentStreamPart> {
  try {
    yield* client.streamText({ params: { id }, body: { input, options }, signal })
  } catch (cause) {
    // how fetch says that a body ended early
    if (!(cause instanceof TypeError)) throw cause
    throw new AppError('unreachable', 'The server ended the connection before the answer was complete', {
      cause,
    })
  }
}

async function askOnce(
  question: Question,
  { client, call: { terminal, lifetime } }: { client: Client; call: CommandCall },
): Promise<ExitCode> {
  const leaving = new AbortController()
  const { signal } = leaving
  lifetime.whenInterrupted(() => leaving.abort())
  try {
    if (!terminal.json) {
      const end = await printAnswer(ask(question, { client, signal }), terminal)
      return end === 'finished' ? EXIT.done : EXIT.failed
    }
    const { id, ...body } = question
    terminal.printValue(await client.generateText({ params: { id }, body, signal }))
    return EXIT.done
  } catch (error) {
    // the server is there, but the agent's model is not
    if (!(error instanceof ApiError) || error.status !== 503) throw error
    printError(error, terminal)
    return EXIT.failed
  }
}

function greet(
  agent: AgentDetail | undefined,
  { id, conversationId, terminal }: { id: string; conversationId: string; terminal: Terminal },
): void {
  const { notePaint: paint } = terminal
  const model =
    agent && agent.model !== null ? ` ${paint.dim(oneLine(`${agent.provider}/${agent.model}`))}` : ''
  const memory = agent?.memory === false ? 'It remembers nothing' : `Conversation ${conversationId}`
  terminal.note(`${paint.bold(oneLine(agent?.name ?? id))}${model}`)
  terminal.note(paint.dim(`${memory}. Ctrl-C stops an answer; twice, or Ctrl-D, leaves.`))
}
