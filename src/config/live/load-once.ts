import type { Clock } from '../../lib/clock.ts'
import { messageOf } from '../../lib/errors.ts'
import { EnvFiles } from '../env-files.ts'
import type { LoadedEvent } from './load-event.ts'
import { LoadReport } from './load-report.ts'
import type { Generation } from '../loader/generation.ts'
import { ModuleLoader } from '../loader/module-loader.ts'
import type { ModuleNamespace } from '../loader/namespace.ts'
import type { ModuleAlias } from '../loader/resolve.ts'
import { disposePersistedValues } from '../persist.ts'
import type { Project } from '../project.ts'

/** What is loaded, and what makes it valid. */
export interface ConfigSource<Value> {
  readonly project: Project
  /** Names `.env.<mode>`: `development`, `production`. */
  readonly mode: string
  /** Specifiers that stand for the running server's own modules, with their URLs. `*` stands for any text. */
  readonly alias: ModuleAlias
  /** Makes a config of what the config file exports; what it throws is reported as the load's failure. */
  readonly accept: (namespace: ModuleNamespace) => Value | Promise<Value>
  /** Advice and warnings, one line each. */
  readonly onHint?: (text: string) => void
  readonly clock?: Clock
}

export interface LoadedConfig<Value> {
  readonly generation: Generation<Value>
  readonly event: LoadedEvent
  /** Takes up what the `.env` files now say of these variables. */
  readonly applyEnv: (names: readonly string[]) => void
  /** Runs dispose callbacks, of persisted values too, and takes the `.env` variables back. */
  close(): Promise<void>
}

/** Loads the config, without watching it. Throws a LoadError when it can't be loaded. */
export async function loadOnce<Value>(source: ConfigSource<Value>): Promise<LoadedConfig<Value>> {
  const { root } = source.project
  const report = new LoadReport(root, source.clock)
  const envFiles = new EnvFiles({ root, mode: source.mode })
  report.changed([], envFiles.apply())
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
