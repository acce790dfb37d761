import fs from 'node:fs/promises'
import path from 'node:path'
import { glob } from 'tinyglobby'
import { createApiClient } from '../../client/api.ts'
import type { Project } from '../../config/project.ts'
import { ALL_CASES } from '../../evals/cases/case-files.ts'
import { evalFiles, loadEvals } from '../../evals/load-evals.ts'
import { judgesOf, planEvals, withKnownTargets } from '../../evals/run/plan.ts'
import { systemClock } from '../../lib/clock.ts'
import { activeSpanIds } from '../../observability/logs/active-span-ids.ts'
import { ServerLogs } from '../../observability/logs/server-logs.ts'
import type { TraceStore } from '../../store/trace-store.ts'
import { ScratchServer } from '../project/scratch-server.ts'
import { gitCommit } from './git-commit.ts'
import { plannedEval } from './saved-evals.ts'
import type { PlannedEval, SavedCode, SavedEvals } from './saved-evals.ts'

interface Loaded extends SavedCode {
  /** The files that the list depends on, as globs and paths. */
  readonly sources: readonly string[]
}

/** Loads the evals of a project beside the server that serves it. */
export class ProjectEvals implements SavedEvals {
  readonly #project: Project
  readonly #mode: string
  #listing: Promise<readonly PlannedEval[]> | undefined
  /** The last list, and the state of the files that it was made from. */
  #listed:
    | { readonly list: readonly PlannedEval[]; readonly sources: readonly string[]; readonly state: string }
    | undefined

  constructor(project: Project, mode: string) {
    this.#project = project
    this.#mode = mode
  }

  /** Requests at the same time share one load. */
  list(): Promise<readonly PlannedEval[]> {
    return (this.#listing ??= this.#list().finally(() => {
      this.#listing = undefined
    }))
  }

  open(traces: TraceStore | undefined): Promise<SavedCode> {
    return this.#load(traces)
  }

  commit(): string | null {
    return gitCommit(this.#project.root)
  }

  async #list(): Promise<readonly PlannedEval[]> {
    const before = this.#listed
    if (before && before.state === (await this.#state(before.sources))) return before.list
    this.#listed = undefined
    const loaded = await this.#load(undefined)
    await loaded.close()
    const { planned, sources, redact } = loaded
    const list = planned.map((one) => plannedEval(one, redact))
    this.#listed = { list, sources, state: await this.#state(sources) }
    return list
  }

  async #load(traces: TraceStore | undefined): Promise<Loaded> {
    const { root } = this.#project
    // what the cases do is in their results
    const logs = new ServerLogs({
      root,
      level: 'silent',
      clock: systemClock,
      spanIds: activeSpanIds,
      print: () => undefined,
    })
    const server = await ScratchServer.load({
      project: this.#project,
      mode: this.#mode,
      openLogs: () => logs,
      beside: { traces },
    })
    try {
      const evals = await loadEvals(root, (file) => server.importFile(file))
      const planned = await server.enter(() => planEvals({ root, evals }))
      const globs = evals.flatMap(({ cases }) => (typeof cases === 'string' ? cases : []))
      return {
        planned,
        redact: logs.redactor.value,
        sources: [...server.files.map((file) => path.resolve(root, file)), ALL_CASES, ...globs],
        serve: async (one) => {
          await server.serve(judgesOf([one]))
          const client = createApiClient({ baseUrl: 'http://localhost', fetch: server.fetch })
          const [served = one] = await withKnownTargets([one], client)
          return { client, served }
        },
        close: () => server.close(0),
      }
    } catch (error) {
      await server.close(0)
      throw error
    }
  }

  /** The names, sizes and times of the files. */
  async #state(sources: readonly string[]): Promise<string> {
    const { root } = this.#project
    const fixed = sources.filter((source) => path.isAbsolute(source))
    const globs = sources.filter((source) => !path.isAbsolute(source))
    const [evals, cases] = await Promise.all([evalFiles(root), glob(globs, { cwd: root, onlyFiles: true })])
    const files = [...new Set([...fixed, ...evals, ...cases])].toSorted()
    const states = await Promise.all(files.map((file) => stateOf(path.resolve(root, file))))
    return files.map((file, index) => `${file} ${states[index]}`).join('\n')
  }
}

async function stateOf(file: string): Promise<string> {
  const stat = await fs.stat(file).catch(() => undefined)
  return stat ? `${stat.size} ${stat.mtimeMs}` : 'missing'
}
