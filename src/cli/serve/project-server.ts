import { resolveConfig } from '../../config/config.ts'
import { startLiveConfig } from '../../config/live/live-config.ts'
import type { LiveConfig } from '../../config/live/live-config.ts'
import type { LoadedEvent } from '../../config/live/load-event.ts'
import type { Generation } from '../../config/loader/generation.ts'
import { LoadError } from '../../config/loader/errors/load-error.ts'
import type { Project } from '../../config/project.ts'
import { messageOf } from '../../lib/errors.ts'
import type { LiveServer } from '../../server/live-server.ts'
import type { PreparedConfig } from '../../server/prepare-config.ts'
import { acceptConfig } from '../accept-config.ts'
import type { CommandCall } from '../command.ts'
import { OWN_MODULES } from '../own-modules.ts'
import { printError } from '../print/error.ts'
import { loadFailedLines, reloadedLine } from '../print/reload-lines.ts'
import { givenHost, givenPort } from './listen-options.ts'
import type { ConfiguredAddress } from './listen-options.ts'

export interface LiveProjectOptions {
  readonly project: Project
  readonly server: LiveServer
  readonly mode: string
  readonly call: CommandCall
  /** A configuration came into service while the server listens. */
  readonly onReloaded: () => void
  /** Ask the file system every so many milliseconds. */
  readonly poll: number | undefined
}

interface Prepared extends PreparedConfig {
  readonly port: number | undefined
}

/** Keeps a server on the newest configuration that loads, and tells how each load went. */
export class LiveProject {
  readonly #options: LiveProjectOptions
  /** The first configuration in service: its database is in use until the end. */
  #first: Prepared | undefined
  /** What the first load says about where to listen; the defaults, if it failed. */
  #address: ConfiguredAddress | undefined
  /** Why the first configuration could not be put into service. */
  #refusal: unknown
  #live: LiveConfig<Prepared> | undefined
  #started = false
  #putting: Promise<void> = Promise.resolve()

  constructor(options: LiveProjectOptions) {
    this.#options = options
  }

  /**
   * Loads the project and follows its changes. Fulfils when the first load is in service or has failed, with
   * where to listen.
   *
   * @throws AppError when the server can't take the first configuration, as when its database is in use.
   */
  async start(): Promise<ConfiguredAddress> {
    const { project, server, mode, call, poll } = this.#options
    const { terminal, lifetime } = call
    const live = await startLiveConfig<Prepared>({
      project,
      mode,
      alias: OWN_MODULES,
      accept: async (namespace) => {
        const { config, port } = acceptConfig(namespace, project)
        return { ...(await server.prepare(config)), port }
      },
      onLoaded: (event, generation) => {
        const put = this.#put(event, generation)
        this.#putting = this.#putting.then(() => put)
      },
      onError: (event) => {
        server.loadFailed(event.error.toJSON())
        terminal.note(loadFailedLines({ ...event, generation: server.load?.generation ?? 0 }, terminal))
      },
      onHint: (text) => terminal.note(terminal.notePaint.dim(text)),
      ...(poll !== undefined && { poll }),
    })
    this.#live = live
    lifetime.defer(() => live.close())
    await this.#putting
    this.#started = true
    if (this.#refusal !== undefined) throw this.#refusal
    this.#address = this.#first ?? { config: resolveConfig({}, 'the defaults'), port: undefined }
    return this.#address
  }

  /** Runs every file of the project again. Fulfils when the outcome was told. */
  async reloadAll(): Promise<void> {
    await this.#live?.reloadAll()
    await this.#putting
  }

  async #put(event: LoadedEvent, generation: Generation<Prepared>): Promise<void> {
    const { server, call } = this.#options
    try {
      await server.put(generation.value, { generation, event })
    } catch (error) {
      if (this.#started) this.#tellRefusal(error)
      else this.#refusal = error
      return
    }
    if (this.#started) call.terminal.note(reloadedLine(event, call.terminal))
    this.#tellRestart(generation.value)
    if (this.#started) this.#options.onReloaded()
  }

  #tellRefusal(error: unknown): void {
    const { server, call } = this.#options
    const name = error instanceof Error ? error.name : 'Error'
    server.loadFailed(new LoadError({ name, message: messageOf(error) }).toJSON())
    printError(error, call.terminal)
  }

  #tellRestart(current: Prepared): void {
    const { terminal, options } = this.#options.call
    this.#first ??= current
    const { database } = this.#first.config
    const { host, port } = (this.#address ?? current).config
    const changed = [
      ...(current.config.database === database ? [] : ['database']),
      ...(current.config.host === host || givenHost(options) !== undefined ? [] : ['host']),
      ...(current.config.port === port || givenPort(options) !== undefined ? [] : ['port']),
    ]
    if (changed.length > 0)
      terminal.note(
        terminal.notePaint.yellow(`${changed.join(' and ')} changed: restart to use the new value`),
      )
  }
}
