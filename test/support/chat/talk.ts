import { createAgent } from 'agentserver'
import type { AgentConfig } from 'agentserver'
import { type ScriptedAnswer, type ScriptedModel, scriptedModel } from 'agentserver/testing'
import type { UIMessage } from 'ai'
import { dataOf } from '../server/responses.ts'
import { TestServer } from '../server/test-server.ts'
import type { ChatClientOptions } from './chat-client.ts'
import { ChatPage, type OpenPage } from './chat-page.ts'

/** A listening server with one agent, whose model answers from a script, and a page that talks to it. */
export interface Talk {
  readonly page: ChatPage
  readonly server: TestServer
  readonly model: ScriptedModel
  /** The messages of the conversation that the server has stored. */
  readonly stored: () => Promise<UIMessage[]>
  /** The status of the newest run. */
  readonly status: () => Promise<string | undefined>
}

export type StartTalk = (
  script: readonly ScriptedAnswer[],
  agent?: Partial<AgentConfig>,
  page?: Partial<ChatClientOptions>,
) => Promise<Talk>

/** Starts talks, and ends them when the test is over. */
export class TalkStarter {
  readonly #openPage: () => OpenPage
  readonly #open: (() => Promise<void>)[] = []

  constructor(openPage: () => OpenPage) {
    this.#openPage = openPage
  }

  readonly start: StartTalk = async (script, agent = {}, options = {}) => {
    const model = scriptedModel(script)
    const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Be brief.', model, ...agent })
    const server = new TestServer({ agents: [clerk] })
    const bound = await server.listen()
    this.#open.push(async () => {
      await bound.close(0)
      await server.close()
    })
    const page = await ChatPage.open(this.#openPage(), {
      api: `${bound.url}/agents/clerk/chat`,
      id: 'talk',
      ...options,
    })
    this.#open.push(() => page.close())
    return {
      page,
      server,
      model,
      stored: () => dataOf(server.request('/agents/clerk/conversations/talk/messages')),
      status: async () => {
        const [run] = await dataOf<{ status: string }[]>(server.request('/agents/clerk/history?limit=1'))
        return run?.status
      },
    }
  }

  async end(): Promise<void> {
    for (const close of this.#open.splice(0).toReversed()) await close()
  }
}
