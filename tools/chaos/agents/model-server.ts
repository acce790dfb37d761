import { appendFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { completion, type ShownMessage, streamed } from '../../../test/support/model/model-provider.ts'
import { memberOf, planOf, textOfOutputs } from './agent-project.ts'

/** The time between the parts of an answer. */
const PART_MS = 8

/** A model that outlives the process that is killed. It decides by the messages alone, and notes every call. */
export class ModelServer {
  readonly #notes: string
  readonly #server: Server

  constructor(notes: string) {
    this.#notes = notes
    this.#server = createServer((request, response) => {
      // the process that called may be killed in the middle
      this.#answer(request, response).catch(() => response.destroy())
    })
  }

  /** The base URL, for `OPENAI_BASE_URL`. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const address = this.#server.address()
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1`
  }

  close(): void {
    this.#server.close().closeAllConnections()
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { messages, stream } = (await json(request)) as { messages: ShownMessage[]; stream?: boolean }
    const run = textIn(messages.find(({ role }) => role === 'user')?.content)
    const index = messages.filter(({ role }) => role === 'assistant').length
    this.#note('begin', run, index)
    response.on('finish', () => this.#note('end', run, index))
    await wait(PART_MS)
    const reply = replyTo(run, index, messages, stream === true)
    if (reply.kind === 'json') {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(reply.body))
    } else if (reply.kind === 'stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const chunk of reply.chunks) {
        response.write(`data: ${JSON.stringify(chunk)}\n\n`)
        await wait(PART_MS)
      }
      response.end('data: [DONE]\n\n')
    }
  }

  #note(what: string, run: string, index: number): void {
    appendFileSync(this.#notes, `${Date.now()} ${what} ${run} model:${index} ${run}-model-${index}\n`)
  }
}

function replyTo(run: string, index: number, messages: readonly ShownMessage[], stream: boolean) {
  const tools = planOf(run)[index] ?? []
  const calls = tools.map((name) => ({ id: `call-${name}`, name, input: inputOf(name, run) }))
  if (calls.length > 0) return stream ? streamed(calls) : completion(calls)
  const outputs = messages.filter(({ role }) => role === 'tool').map(({ content }) => textIn(content))
  const text = textOfOutputs(outputs)
  return stream ? streamed(text.split(/(?= )/)) : completion(text)
}

function inputOf(tool: string, run: string): object {
  return tool === 'ask_member' ? { prompt: memberOf(run) } : { run }
}

/** The text of a message, or of a tool's output. */
function textIn(content: unknown): string {
  if (typeof content === 'string') return content.startsWith('"') ? (JSON.parse(content) as string) : content
  return (content as readonly { text?: string }[]).map(({ text = '' }) => text).join('')
}
