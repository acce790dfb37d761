import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StoredSuspension } from '../record/execution-events.ts'
import { recordMisfits } from '../executions/check-open.ts'
import { NOTHING, readAndContinue } from '../executions/continue-suspended.ts'
import type { CommandDeps } from '../executions/live-runs.ts'
import { recordedResumption, waitingParents } from '../executions/parent-child.ts'
import { isUnavailable } from '../run/errors.ts'

const PAGE = 100
/** Executions that one look goes through at most; the others wait for the next one, or for a resume. */
const MAX_LOOKED_AT = 10_000

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
    const { store, runs } = this.#deps
    let continued = 0
    for (let looked = 0; looked < MAX_LOOKED_AT; looked += PAGE) {
      // those that go on are not in the list any more
      const page = await store.executions.list(
        { changedCode: true },
        { limit: PAGE, offset: looked - continued },
      )
      for (const { id } of page) {
        if (runs.stopping || this.#isStale) return continued
        continued += await this.#continue(id)
        // requests have their turn
        await nextTurn()
      }
      if (page.length < PAGE) break
    }
    return continued
  }

  /**
   * Of several machines that look, one continues it, with the parents that wait for it. Returns how many go on; none when
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
        // a parent goes on with its child
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
