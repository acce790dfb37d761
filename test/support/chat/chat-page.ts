import { isToolUIPart, type UIMessage } from 'ai'
import { until } from '../until.ts'
import type { ChatAction, ChatClientOptions, ChatState } from './chat-client.ts'

type ToolPart = Extract<UIMessage['parts'][number], { toolCallId: string }>

/** A page of {@link ChatState} in jsdom or a browser. */
export interface PageDriver {
  readonly text: () => Promise<string>
  readonly act: (action: ChatAction) => Promise<void>
  /** Leaves the page, whose requests end with it. */
  readonly close: () => Promise<void>
}

/** Opens a page beside a server. */
export type OpenPage = (options: ChatClientOptions) => Promise<PageDriver>

/** A person in front of a chat page. */
export class ChatPage {
  readonly #open: OpenPage
  #options: ChatClientOptions
  #driver: PageDriver

  private constructor(open: OpenPage, options: ChatClientOptions, driver: PageDriver) {
    this.#open = open
    this.#options = options
    this.#driver = driver
  }

  static async open(open: OpenPage, options: ChatClientOptions): Promise<ChatPage> {
    return new ChatPage(open, options, await open(options))
  }

  async state(): Promise<ChatState> {
    return JSON.parse(await this.#driver.text()) as ChatState
  }

  act(action: ChatAction): Promise<void> {
    return this.#driver.act(action)
  }

  send(text: string): Promise<void> {
    return this.act({ type: 'send', text })
  }

  /** Waits until the page shows what is looked for. */
  async shows(condition: (state: ChatState) => boolean): Promise<ChatState> {
    let state = await this.state()
    await until(
      async () => {
        state = await this.state()
        return condition(state)
      },
      () => `${String(condition)} in ${JSON.stringify(state, null, 1)}`,
      15_000,
    )
    return state
  }

  /** Sends a text and waits for the end of the answer. Returns the answer. */
  async ask(text: string): Promise<UIMessage> {
    await this.send(text)
    return this.answer(({ messages }) => textOf(messages.findLast(({ role }) => role === 'user')) === text)
  }

  /** Waits until an answer has ended, and the page shows what is looked for. */
  async answer(condition: (state: ChatState) => boolean = () => true): Promise<UIMessage> {
    const state = await this.shows(
      (one) => one.status === 'ready' && one.messages.at(-1)?.role === 'assistant' && condition(one),
    )
    return state.messages.at(-1) as UIMessage
  }

  /** Waits until the last answer has tool parts in these states. Returns the parts. */
  async tools(...states: ToolPart['state'][]): Promise<ToolPart[]> {
    const { messages } = await this.shows(
      (one) =>
        one.status === 'ready' &&
        toolsOf(one.messages.at(-1))
          .map((part) => part.state)
          .join() === states.join(),
    )
    return toolsOf(messages.at(-1))
  }

  /** Loads the page again, with the messages that its project has. */
  async reload(messages: UIMessage[] = []): Promise<void> {
    await this.#driver.close()
    this.#options = { ...this.#options, messages }
    this.#driver = await this.#open(this.#options)
  }

  close(): Promise<void> {
    return this.#driver.close()
  }
}

/** The text parts of a message. */
export function textOf(message: UIMessage | undefined): string {
  return (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')
}

export function toolsOf(message: UIMessage | undefined): ToolPart[] {
  return (message?.parts ?? []).filter((part): part is ToolPart => isToolUIPart(part))
}

/** The approval that a tool part waits for. */
export function approvalId(part: ToolPart | undefined): string {
  if (part?.state !== 'approval-requested') throw new Error(`${part?.state} is not a call that waits`)
  return part.approval.id
}
