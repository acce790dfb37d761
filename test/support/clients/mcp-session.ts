/** A JSON-RPC message of any kind. */
export interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
}

export interface RawSessionOptions {
  readonly url: string
  readonly user?: string
  readonly capabilities?: object
  /** The id of another client's session, as an attacker might know it. */
  readonly id?: string
}

/** A client of MCP revision 2025-11-25 that sends messages unchanged. */
export class RawSession {
  readonly #options: RawSessionOptions
  id: string | undefined

  constructor(options: RawSessionOptions) {
    this.#options = options
    this.id = options.id
  }

  static async open(options: RawSessionOptions): Promise<RawSession> {
    const session = new RawSession(options)
    const { capabilities = { elicitation: {}, sampling: {} } } = options
    const clientInfo = { name: 'raw', version: '1' }
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo }
    const response = await session.send({ id: 0, method: 'initialize', params })
    await response.text()
    session.id = response.headers.get('mcp-session-id') ?? undefined
    return session
  }

  send(message: object, signal?: AbortSignal): Promise<Response> {
    return fetch(this.#options.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...this.#who(),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      ...(signal && { signal }),
    })
  }

  /** Sends a request and yields the messages of the response stream. */
  async *request(method: string, params: object = {}, signal?: AbortSignal): AsyncGenerator<Message> {
    yield* messagesOf(await this.send({ id: 1, method, params }, signal))
  }

  call(name: string, input: object = {}, signal?: AbortSignal): AsyncGenerator<Message> {
    return this.request('tools/call', { name, arguments: input }, signal)
  }

  /** Yields the messages that the server sends without a request. */
  async *listen(signal: AbortSignal): AsyncGenerator<Message> {
    yield* messagesOf(await fetch(this.#options.url, { headers: this.#who(), signal }))
  }

  #who(): Record<string, string> {
    const { user } = this.#options
    return {
      ...(user !== undefined && { authorization: `Bearer ${user}` }),
      ...(this.id !== undefined && { 'mcp-session-id': this.id }),
    }
  }
}

async function* messagesOf({ body }: Response): AsyncGenerator<Message> {
  let text = ''
  for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const events = `${text}${chunk}`.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const data = event.split('\n').find((line) => line.startsWith('data: '))
      if (data !== undefined) yield JSON.parse(data.slice('data: '.length)) as Message
    }
  }
}

/** The next message. Throws at the end of the stream. */
export async function next(messages: AsyncGenerator<Message>): Promise<Message> {
  const { value, done } = await messages.next()
  if (done === true) throw new Error('The stream ended')
  return value
}

/** The text of a tool's result. */
export function textOf({ result }: Message): string {
  const [part] = (result?.['content'] ?? []) as readonly { readonly text?: string }[]
  return part?.text ?? ''
}
