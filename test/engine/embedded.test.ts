import { afterAll } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import { TempProject } from '../fixtures/temp-project.ts'
import { engineSuite } from './engine-suite.ts'

const project = new TempProject()
afterAll(() => project.remove())

engineSuite('the embedded host on SQLite', {
  connect: async (database) => openStore({ url: `file:${database}.db`, root: project.root }),
})
