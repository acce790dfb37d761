import type { Clock } from '../../lib/clock.ts'
import { messageOf } from '../../lib/errors.ts'
import { EnvFiles } from '../env-files.ts'
import type { LoadedEvent } from './load-event.ts'
import { LoadReport } from './load-report.ts'
import type { Generation } from '../loader/generation.ts'
import { ModuleLoader } from '../loader/module-loader.ts'
import type { ModuleNamespace } from '../loader/namespace.ts'
import type { ModuleAlias } from '../loader/module-resolver.ts'
import { disposePersistedValues } from '../persist.ts'
import type { Project } from '../project.ts'

/** A project to load, and how its configuration is validated. */
export interface ConfigSource<Value> {
  readonly project: Project
  /** Names `.env.<mode>`: `development`, `production`. */
  readonly mode: string
  /** Leaves the variables of `.env` as they are, where they were applied before. Default: they are applied. */
  readonly keepEnv?: boolean
  /** Maps specifiers to URLs of the running server's modules. `*` matches any text. */
  readonly alias: ModuleAlias
  /** Validates the config file's exports. An error that it throws is reported as a failed load. */
  readonly accept: (namespace: ModuleNamespace) => Value | Promise<Value>
  /** Receives advice and warnings, one line each. */
  readonly onHint?: (text: string) => void
  readonly clock?: Clock
}

export interface LoadedConfig<Value> {
  readonly generation: Generation<Value>
  readonly event: LoadedEvent
  /** Updates these variables from the `.env` files. */
  readonly applyEnv: (names: readonly string[]) => void
  /** Runs all dispose callbacks and removes the `.env` variables. */
  close(): Promise<void>
}

/** Loads the config once, without watching files. Throws a LoadError if that fails. */
export async function loadOnce<Value>(source: ConfigSource<Value>): Promise<LoadedConfig<Value>> {
  const { root } = source.project
  const report = new LoadReport(root, source.clock)
  const envFiles = new EnvFiles({ root, mode: source.mode })
  report.changed([], source.keepEnv === true ? [] : envFiles.apply())
  const loader = createLoader(source)
  const close = async () => {
    await loader.close()
    envFiles.restore()
    await disposePersistedValues()
  }
  try {
    const generation = await loader.load()
    const applyEnv = (names: readonly string[]) => envFiles.applyOnly(names)
    return { generation, event: report.loaded(generation), applyEnv, close }
  } catch (error) {
    await close()
    throw error
  }
}

export function createLoader<Value>(
  source: ConfigSource<Value>,
  onModule: (file: string) => void = () => {},
): ModuleLoader<Value> {
  return new ModuleLoader({
    entry: source.project.configFile,
    root: source.project.root,
    alias: source.alias,
    accept: source.accept,
    onModule,
    onWarning: (message, error) =>
      source.onHint?.(error === undefined ? message : `${message}: ${messageOf(error)}`),
  })
}
