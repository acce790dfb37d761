import { MAX_COMPARED_AT_RELOAD } from '../../server/project/project-server.ts'
import type { WorkflowFit } from '../../engine/executions/check-open.ts'
import type { LiveServer } from '../../server/live-server.ts'

const count = (n: number) => n.toLocaleString('en-US')
const total = (fits: readonly WorkflowFit[], key: 'fits' | 'misfits') =>
  fits.reduce((sum, fit) => sum + fit[key], 0)

interface FitSummary {
  readonly text: string
  readonly fit: boolean
}

/** How the open executions fit the code, of which `limit` were compared, as one line; `undefined` when none is open. */
export function fitSummary(found: readonly WorkflowFit[], limit: number): FitSummary | undefined {
  const [fits, misfits] = [total(found, 'fits'), total(found, 'misfits')]
  if (fits + misfits === 0) return undefined
  const isPart = fits + misfits >= limit
  const among = isPart
    ? `Of ${count(limit)} open executions (limits.compared, suspended ones first), `
    : 'Open executions: '
  if (misfits === 0) return { text: `${among}${count(fits)} fit the code`, fit: true }
  const which = found.filter((fit) => fit.misfits > 0).map((fit) => `${fit.id}: ${count(fit.misfits)}`)
  const text = `${among}${count(fits)} fit the code, ${count(misfits)} do not (${which.join(', ')}): run agentserver check`
  return { text, fit: false }
}

/** The suspended executions that a reload keeps from continuing, a line for each workflow. */
export function noLongerFitLines(found: readonly WorkflowFit[]): string[] {
  return found.map(({ id, fits, misfits, examples: [example] }) => {
    const executions = misfits === 1 ? '1 suspended execution' : `${count(misfits)} suspended executions`
    const isPart = fits + misfits >= MAX_COMPARED_AT_RELOAD
    const among = isPart ? ` (among the newest ${MAX_COMPARED_AT_RELOAD})` : ''
    const verb = misfits === 1 ? 'no longer fits' : 'no longer fit'
    const { stepId = '', reason = '' } = example ?? {}
    return `${executions} of ${id}${among} ${verb}: ${stepId && `step "${stepId}": `}${reason}`
  })
}

/** The schedules of a configuration and whether they start executions; `undefined` when there are none. */
export function schedulesText({
  config,
  runsSchedules,
}: Pick<LiveServer, 'config' | 'runsSchedules'>): string | undefined {
  const schedules = config?.schedules ?? []
  if (schedules.length === 0) return undefined
  const ids = schedules.map(({ id }) => id).join(', ')
  return runsSchedules ? `${ids} (they start executions here)` : `${ids} (off: --no-schedules)`
}
