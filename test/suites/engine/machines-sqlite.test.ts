import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { machineSuite } from './machine-tests.ts'

machineSuite('machines that share a store', {
  open: async () => openSqliteStore({ file: ':memory:' }),
  many: false,
})
