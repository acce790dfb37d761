import { existsSync } from 'node:fs'
import { CliProject } from '../project/cli-project.ts'
import type { RunningServer } from '../project/cli-project.ts'
import { ConsoleBrowser } from './console-browser.ts'

/** A project served by the built CLI, with a browser for its console. */
export class ConsoleProject extends CliProject {
  #server: RunningServer | undefined
  #browser: ConsoleBrowser | undefined

  get server(): RunningServer {
    if (this.#server === undefined) throw new Error('The project is not started')
    return this.#server
  }

  get browser(): ConsoleBrowser {
    if (this.#browser === undefined) throw new Error('The browser is not started')
    return this.#browser
  }

  async start(command: 'dev' | 'start' = 'dev', env: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#server = await this.serve(command, { args: ['--port', '0'], env })
    this.#browser = await ConsoleBrowser.launch(this.#server.url, '', this.#token)
  }

  /** Kills the server, and starts it again at the same address. */
  async restart(): Promise<void> {
    const { port } = new URL(this.server.url)
    await this.server.kill('SIGKILL')
    this.#server = await this.serve('dev', { args: ['--port', port] })
  }

  /** A browser that opens the console at another address, of a proxy. */
  browserAt(url: string): Promise<ConsoleBrowser> {
    return ConsoleBrowser.launch(url, '', this.#token)
  }

  /** Runs a workflow until it ends or suspends, and returns the execution id. */
  async execute(workflowId: string, input: unknown): Promise<string> {
    const response = await fetch(new URL(`/workflows/${workflowId}/execute`, this.server.url), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ input }),
    })
    const { data } = (await response.json()) as { data?: { executionId: string } }
    return data?.executionId ?? response.headers.get('x-execution-id') ?? ''
  }

  readonly #token = (): string | undefined =>
    existsSync(this.path('.agentserver/token')) ? this.read('.agentserver/token').trim() : undefined

  override async end(): Promise<void> {
    await this.#browser?.close()
    await super.end()
  }
}
