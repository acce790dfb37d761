import type { Checkpoints } from '../checkpoints.ts'
import type { Database, Statement } from '../driver.ts'
import type { DatabaseHealth } from './database-health.ts'

/**
 * A database whose failures are translated and reported, and that writes only to the files that it opened. Statements are
 * prepared when they are first run: a process uses a part of them.
 */
export function monitoredDatabase(
  database: Database,
  health: DatabaseHealth,
  checkpoints?: Checkpoints,
): Database {
  const translated = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw health.translate(error)
    }
  }
  return {
    exec: (sql) => translated(() => database.exec(sql)),
    prepare: (sql) => {
      let prepared: Statement | undefined
      const prepare = () => (prepared ??= translated(() => database.prepare(sql)))
      return monitoredStatement(prepare, health, checkpoints)
    },
    close: () => database.close(),
  }
}

function monitoredStatement(
  prepare: () => Statement,
  health: DatabaseHealth,
  checkpoints: Checkpoints | undefined,
): Statement {
  return {
    run: (...values) => {
      health.requireFiles()
      checkpoints?.written()
      const statement = prepare()
      try {
        return statement.run(...values)
      } catch (error) {
        throw health.translate(error, { statement, retry: () => statement.run(...values) })
      }
    },
    get: (...values) => {
      const statement = prepare()
      try {
        return statement.get(...values)
      } catch (error) {
        throw health.translate(error, { statement, retry: () => statement.get(...values) })
      }
    },
    all: (...values) => {
      const statement = prepare()
      try {
        return statement.all(...values)
      } catch (error) {
        throw health.translate(error, { statement, retry: () => statement.all(...values) })
      }
    },
  }
}
