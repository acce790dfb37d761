import type { Database, Statement } from '../driver.ts'
import type { DatabaseHealth } from './database-health.ts'

/** A database whose failures are translated and reported, and that writes only to the files that it opened. */
export function monitoredDatabase(database: Database, health: DatabaseHealth): Database {
  return {
    exec: (sql) => {
      try {
        database.exec(sql)
      } catch (error) {
        throw health.translate(error)
      }
    },
    prepare: (sql) => {
      try {
        return monitoredStatement(database.prepare(sql), health)
      } catch (error) {
        throw health.translate(error)
      }
    },
    close: () => database.close(),
  }
}

function monitoredStatement(statement: Statement, health: DatabaseHealth): Statement {
  return {
    run: (...values) => {
      health.requireFiles()
      try {
        return statement.run(...values)
      } catch (error) {
        throw health.translate(error, { statement, retry: () => statement.run(...values) })
      }
    },
    get: (...values) => {
      try {
        return statement.get(...values)
      } catch (error) {
        throw health.translate(error, { statement, retry: () => statement.get(...values) })
      }
    },
    all: (...values) => {
      try {
        return statement.all(...values)
      } catch (error) {
        throw health.translate(error, { statement, retry: () => statement.all(...values) })
      }
    },
  }
}
