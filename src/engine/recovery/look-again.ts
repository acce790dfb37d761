import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StoredSuspension } from '../record/execution-events.ts'
import { recordMisfits } from '../executions/check-open.ts'
import { NOTHING, readAndContinue } from '../executions/continue-suspended.ts'
import type { CommandDeps } from '../executions/live-runs.ts'
import { recordedResumption, waitingParents } from '../executions/parent-child.ts'
import { isUnavailable } from '../run/errors.ts'

const PAGE = 200

/** Continues the executions that wait because their records did not fit the code, and fit it now. */
export class LookAgain {
  readonly #deps: CommandDeps
  #looking: Promise<void> | undefined
  /** The code has changed since the look began. */
  #isStale = false

  constructor(deps: CommandDeps) {
    this.#deps = deps
  }

  /** One look at a time; another one follows when the code changes meanwhile. Does not reject. */
  look(): Promise<void> {
    if (this.#looking) this.#isStale = true
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined))
    return this.#looking
  }

  async #look(): Promise<void> {
    const { logger, runs } = this.#deps
    do {
      this.#isStale = false
      try {
        const count = await this.#lookOnce()
        if (count > 0)
          logger.info(`${count} execution(s) that waited for changed code fit it again, and go on`)
      } catch (err) {
        if (!isUnavailable(err))
          logger.error({ err }, 'Executions that wait for changed code could not be read')
      }
    } while (this.#isStale && !runs.stopping)
  }

  async #lookOnce(): Promise<number> {
    const { runs } = this.#deps
    let continued = 0
    for (const id of await this.#waiting()) {
      if (runs.stopping || this.#isStale) break
      continued += await this.#continue(id)
      // requests have their turn
      await nextTurn()
    }
    return continued
  }

  /** All are found before the first continues: it would move the others to another page. */
  async #waiting(): Promise<readonly string[]> {
    const { store, runs } = this.#deps
    const ids: string[] = []
    while (!runs.stopping && !this.#isStale) {
      const page = await store.executions.list({ changedCode: true }, { limit: PAGE, offset: ids.length })
      ids.push(...page.map(({ id }) => id))
      if (page.length < PAGE) break
    }
    return ids
  }

  /**
   * Of several machines that look, one continues it, with the parents that wait for it. Returns how many continue; none when
   * its record can't be compared, which holds nothing else up.
   */
  async #continue(id: string): Promise<number> {
    const { store, logger } = this.#deps
    try {
      const started = await readAndContinue(this.#deps, async ({ registry }) => {
        const history = await store.executions.history(id)
        const { status, suspension, workflowId } = history?.row ?? {}
        if (!history || status !== 'suspended' || !suspension) return NOTHING
        const { stepId, misfits } = JSON.parse(suspension) as StoredSuspension
        const workflow = registry.find(workflowId ?? '')
        // a parent continues with its child
        if (!misfits || !workflow || (await recordMisfits(history, workflow, logger)).length > 0)
          return NOTHING
        const parents = await waitingParents(this.#deps, history.row, registry)
        // what was given when it did not fit, and by whom, is in its record
        const resumption = (await recordedResumption(this.#deps, history.row)) ?? { resumeData: null }
        return { executions: [{ history, workflow, stepId }, ...parents], resumption }
      })
      return started.length
    } catch (err) {
      if (isUnavailable(err)) throw err
      logger.warn({ err, executionId: id }, 'An execution that waits for changed code could not be compared')
      return 0
    }
  }
}
