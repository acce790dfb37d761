import { afterEach, beforeEach } from 'vitest'
import { Cluster } from '../support/cluster/cluster.ts'
import { createDatabase } from '../support/postgres/test-database.ts'
import type { TestDatabase } from '../support/postgres/test-database.ts'

/** Whether the variants that take minutes run, too. */
export const LONG = process.env['LONG_CLUSTER_TESTS'] === 'true'

/** A cluster for each test, on a database of its own. */
export function clusterOfTest(): { readonly cluster: Cluster; readonly database: TestDatabase } {
  let cluster: Cluster
  let database: TestDatabase
  beforeEach(async () => {
    database = await createDatabase()
    cluster = new Cluster(database.url)
  })
  afterEach(async () => {
    await cluster.end()
    await database.drop()
  })
  return {
    get cluster() {
      return cluster
    },
    get database() {
      return database
    },
  }
}

/** Numbers from 1 to `count`. */
export function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}
