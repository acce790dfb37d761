import { migratePostgres } from '../../../src/store/postgres/migrate-postgres.ts'
import { CliProject } from '../project/cli-project.ts'
import { CLUSTER_FILES } from './cluster-files.ts'
import { Machine } from './machine.ts'
import { Notes } from './notes.ts'

interface MachineOptions {
  /** Files that differ from the others': another release. */
  readonly files?: Readonly<Record<string, string>>
  /** URL of the database, if the machine reaches it by another way. */
  readonly database?: string
  /** How far its clock is ahead, in milliseconds. */
  readonly clockAheadMs?: number
}

/** Machines that share a database. */
export class Cluster {
  readonly notes: Notes
  readonly #database: string
  readonly #schema: string
  readonly #project = new CliProject(CLUSTER_FILES)
  readonly #others: CliProject[] = []

  /** `database`: its URL, without a schema. */
  constructor(database: string, schema = 'cluster') {
    this.#schema = schema
    this.#database = database
    this.notes = new Notes(this.#project.path('notes'))
  }

  /** Starts machines one after the other and waits until they serve. */
  async start(...names: readonly string[]): Promise<Machine[]> {
    const machines: Machine[] = []
    for (const name of names) machines.push(await this.startOne(name))
    return machines
  }

  async startOne(
    name: string,
    { files, database = this.#database, clockAheadMs }: MachineOptions = {},
  ): Promise<Machine> {
    const project = files ? new CliProject({ ...CLUSTER_FILES, ...files }) : this.#project
    if (files) this.#others.push(project)
    await this.#migrate()
    const server = await project.serve('start', {
      env: {
        DATABASE_URL: this.#urlOf(database),
        MACHINE: name,
        NOTES: this.notes.file,
        ...(clockAheadMs !== undefined && {
          NODE_OPTIONS: `--import ${project.path('shift-clock.mjs')}`,
          SHIFT_CLOCK_MS: String(clockAheadMs),
        }),
      },
    })
    return new Machine(name, server)
  }

  /** Kills what still runs and removes the files. */
  async end(): Promise<void> {
    await Promise.all([this.#project, ...this.#others].map((project) => project.end()))
  }

  #urlOf(database: string): string {
    const url = new URL(database)
    url.searchParams.set('schema', this.#schema)
    return url.href
  }

  #migrated: Promise<unknown> | undefined

  #migrate(): Promise<unknown> {
    const target = { url: this.#urlOf(this.#database), root: this.#project.root, check: false }
    return (this.#migrated ??= migratePostgres(target))
  }
}
