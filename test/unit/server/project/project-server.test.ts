import { afterEach, expect, it } from 'vitest'
import { findProject } from '../../../../src/config/project.ts'
import type { WorkflowFit } from '../../../../src/engine/executions/check-open.ts'
import { createDeferred } from '../../../../src/lib/async/wake-up.ts'
import type { Registry } from '../../../../src/engine/registry.ts'
import type { LiveServer } from '../../../../src/server/live-server.ts'
import { ProjectServer } from '../../../../src/server/project/project-server.ts'
import { TempProject } from '../../../support/project/temp-project.ts'
import { until } from '../../../support/until.ts'

const project = new TempProject({
  'package.json': '{"type":"module"}',
  'agentserver.config.js': 'export default {}',
})
const open: ProjectServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
  project.remove()
})

it('reloads in quick succession are compared with open executions one at a time, the last ones together', async () => {
  const fits: WorkflowFit[] = [{ id: 'w', fits: 0, misfits: 1, examples: [] }]
  const gate = createDeferred<void>()
  const compared: { before: number; after: number }[] = []
  let generation = 0
  let running = 0
  const mostAtOnce: number[] = []
  const server = {
    prepare: async () => ({}),
    put: async () => void generation++,
    get registry() {
      return generation as unknown as Registry
    },
    noLongerFitting: async (before: Registry) => {
      compared.push({ before: before as unknown as number, after: generation })
      mostAtOnce.push(++running)
      await gate.promise
      running--
      return fits
    },
  } as unknown as LiveServer
  const reports: (readonly WorkflowFit[])[] = []
  const noReport = () => undefined
  const served = new ProjectServer({
    project: findProject({ cwd: project.root }),
    server,
    mode: 'development',
    reporter: {
      reloaded: noReport,
      noLongerFitting: (found) => reports.push(found),
      loadFailed: noReport,
      rejected: noReport,
      restartRequired: noReport,
      hint: noReport,
    },
    isOverridden: () => false,
    poll: undefined,
  })
  open.push(served)
  await served.start()
  for (let save = 0; save < 10; save++) await served.reloadAll()
  expect(generation).toBe(11)
  gate.resolve()
  await until(() => reports.length === 2)
  expect(compared).toEqual([
    { before: 1, after: 2 },
    // a misfit of any of the later ones is one of code that came after the second
    { before: 2, after: 11 },
  ])
  expect(mostAtOnce).toEqual([1, 1])
  expect(reports).toEqual([fits, fits])
})
