import { afterAll } from 'vitest'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { TempProject } from '../../support/project/temp-project.ts'
import { engineSuite } from './engine-suite.ts'
import { machineSuite } from './machine-tests.ts'
import { slowStore } from './slow-store.ts'

const project = new TempProject()
afterAll(() => project.remove())

// the other parts meet late answers on Postgres
engineSuite(
  'the engine on a database that answers late',
  { connect: async (database) => slowStore(openSqliteStore({ file: project.path(`${database}.db`) })) },
  'records',
)

machineSuite('machines that share a database that answers late', {
  open: async () => slowStore(openSqliteStore({ file: ':memory:' })),
  many: false,
})
