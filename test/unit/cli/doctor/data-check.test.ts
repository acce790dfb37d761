import fs from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkData } from '../../../../src/cli/doctor/data-check.ts'
import { asWindows } from '../../../support/as-windows.ts'
import { TempProject } from '../../../support/project/temp-project.ts'

const WINDOWS = process.platform === 'win32'

let project: TempProject
beforeEach(
  () => void (project = new TempProject({ '.agentserver/data.db': '', '.agentserver/data.db-wal': '' })),
)
afterEach(() => project.remove())

const chmod = (modes: Readonly<Record<string, number>>) => {
  for (const [name, mode] of Object.entries(modes)) fs.chmodSync(project.path(name), mode)
}

test.skipIf(WINDOWS)(
  'a data directory that other users may open is reported with the command that closes it',
  () => {
    chmod({ '.agentserver': 0o755, '.agentserver/data.db': 0o644, '.agentserver/data.db-wal': 0o600 })
    expect(checkData(project.root)).toEqual([
      {
        id: 'data',
        status: 'warning',
        message: '.agentserver is open to other users (mode 755), and 1 more',
        advice: 'Run: chmod 700 .agentserver && chmod 600 .agentserver/*',
      },
    ])
    chmod({ '.agentserver': 0o700 })
    expect(checkData(project.root)[0]?.message).toBe('.agentserver/data.db is open to other users (mode 644)')
  },
)

test.skipIf(WINDOWS)('a private data directory passes, and a project without data has no check', () => {
  chmod({ '.agentserver': 0o700, '.agentserver/data.db': 0o600, '.agentserver/data.db-wal': 0o600 })
  expect(checkData(project.root)).toEqual([
    { id: 'data', status: 'ok', message: '.agentserver is readable by its owner only' },
  ])
  fs.rmSync(project.path('.agentserver'), { recursive: true })
  expect(checkData(project.root)).toEqual([])
})

test('on Windows, where modes say nothing, there is no check', () => {
  asWindows()
  expect(checkData(project.root)).toEqual([])
})
