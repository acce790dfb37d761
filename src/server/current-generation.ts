import path from 'node:path'
import type { TrustedOrigins } from '../auth/origin-rules.ts'
import type { LoadedEvent } from '../config/live/load-event.ts'
import { formatLoadError } from '../config/loader/errors/format-load-error.ts'
import { projectRelative } from '../config/loader/errors/load-error.ts'
import type { ConfigChange } from '../contract/channels.ts'
import type { LoadFailure } from '../contract/load-failure.ts'
import type { ServedGeneration } from '../http/services.ts'
import { systemClock, toIso } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { MACHINE_ID } from '../lib/machine-id.ts'
import { VERSION } from '../lib/packages/own-package.ts'
import { ConfigChanges } from './config-changes.ts'
import { createHash } from 'node:crypto'
import type { Registry } from '../engine/registry.ts'
import { lazy } from '../lib/async/lazy.ts'

const HASH_LENGTH = 12

/**
 * Returns the release of a configuration: the version of this package and a hash of the project's files, such as
 * `0.1.0+3f9a2c41d0e5`. It is the same on all machines with the same code. A configuration that a program made has no
 * files: there the hash is that of its workflows' steps and of its agents' ids.
 */
export function releaseOf(registry: Registry, contentHash: (() => string) | undefined): () => string {
  return lazy(() => {
    const hash = contentHash?.() ?? hashOf(registry)
    return `${VERSION}+${hash.slice(0, HASH_LENGTH)}`
  })
}

function hashOf(registry: Registry): string {
  const workflows = registry.list().map(({ definition, hash }) => `${definition.id} ${hash}`)
  const agents = registry.usedAgents.map(({ id }) => id)
  const parts = [workflows.toSorted(), agents.toSorted()]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** The load that produced a configuration. */
export interface ConfigLoad {
  readonly generation: CodeGeneration
  readonly event: LoadedEvent
}

/** A generation of the user's code. */
interface CodeGeneration {
  /** Keeps it from being disposed until the returned function is called. */
  hold(): () => void
  /** The project files it was loaded from, as absolute paths; `undefined` when a program made the configuration. */
  readonly files?: readonly string[]
  /** A hash of these files; `undefined` when a program made the configuration. */
  readonly contentHash?: () => string
}

/** The load of a configuration that a program passed to the server: it has no files to watch. */
export function programLoad(): ConfigLoad {
  const at = toIso(systemClock.now())
  return {
    generation: { hold: () => () => undefined },
    event: { generation: 1, at, durationMs: 0, files: [], modules: 0, env: [] },
  }
}

interface CurrentGenerationOptions {
  /** The project's directory, absolute. */
  readonly root: string
  readonly production: boolean
  readonly onChange: (change: ConfigChange) => void
}

/** The generation in service, and why a newer one is not. */
export class CurrentGeneration {
  readonly #options: CurrentGenerationOptions
  readonly #changes: ConfigChanges
  #served: ServedGeneration | undefined
  #failure: LoadFailure | undefined
  #trustedOrigins: TrustedOrigins = { allowedHosts: [], origins: [] }
  #stopping = false

  constructor(options: CurrentGenerationOptions) {
    this.#options = options
    this.#changes = new ConfigChanges(options.onChange)
  }

  /**
   * The generation in service.
   *
   * @throws AppError `unavailable` while none is, or the server is stopping.
   */
  get(): ServedGeneration {
    if (this.#stopping) throw new AppError('unavailable', 'The server is shutting down')
    if (!this.#served) throw new AppError('unavailable', this.#notLoaded())
    return this.#served
  }

  /** The generation in service, also while the server is stopping. */
  find(): ServedGeneration | undefined {
    return this.#served
  }

  /** Why the newest load failed; `undefined` when it succeeded. */
  get failure(): LoadFailure | undefined {
    return this.#failure
  }

  get changes(): ConfigChanges {
    return this.#changes
  }

  /** Names this process in telemetry, where others may use the same database. */
  get machine(): string | undefined {
    return this.#served?.storage === 'postgres' ? MACHINE_ID : undefined
  }

  /** The release in service, also while the server is stopping. */
  get release(): string {
    return this.#served?.release() ?? VERSION
  }

  get isStopping(): boolean {
    return this.#stopping
  }

  get trustedOrigins(): TrustedOrigins {
    return this.#trustedOrigins
  }

  /** Puts a generation into service. */
  put(
    generation: Omit<ServedGeneration, 'files' | 'hold' | 'load' | 'release'>,
    { generation: code, event }: ConfigLoad,
  ): void {
    const before = this.#served?.registry
    const { files = [] } = code
    const { allowedHosts, cors } = generation.config
    this.#trustedOrigins = { allowedHosts, origins: cors.origins }
    this.#served = {
      ...generation,
      files: files.map((file) => projectRelative(this.#options.root, file)),
      hold: () => code.hold(),
      load: event,
      release: releaseOf(generation.registry, code.contentHash),
    }
    this.#failure = undefined
    this.#changes.addLoad(event, before, generation.registry)
  }

  /** Records why a load failed. The generation in service stays. */
  fail(failure: LoadFailure): void {
    const message = failure.message.replaceAll(`${this.#options.root}${path.sep}`, '')
    this.#failure = { ...failure, message }
    this.#changes.addFailure(this.#failure, this.#served?.load.generation ?? 0)
  }

  /** Refuses requests from now on. */
  stop(): void {
    this.#stopping = true
  }

  /** The load error is part of the message in development only, where requests from other sites are refused. */
  #notLoaded(): string {
    const { production } = this.#options
    const error = this.#failure && !production ? formatLoadError(this.#failure, { colors: false }) : ''
    return `The configuration has not loaded yet${error === '' ? '' : `\n${error}`}`
  }
}
