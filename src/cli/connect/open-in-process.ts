import path from 'node:path'
import type { Project } from '../../config/project.ts'
import { InProcessServer } from '../../server/project/in-process-server.ts'
import type { CommandCall } from '../command.ts'
import { PROJECT_CODE } from '../lifetime.ts'
import { resolveMode } from '../options/resolve-mode.ts'
import { LogLines } from '../print/log-lines.ts'
import { serverLogs } from '../serve/open-logs.ts'

export interface OpenInProcessOptions {
  readonly call: CommandCall
  readonly readOnly: boolean
}

/** Serves a project inside this process until the command ends. Returns its fetch function. */
export async function openInProcess(
  project: Project,
  { call, readOnly }: OpenInProcessOptions,
): Promise<(request: Request) => Promise<Response>> {
  const { options, terminal, lifetime } = call
  const server = new InProcessServer({
    project,
    mode: resolveMode(process.env, 'development'),
    openLogs: () => serverLogs(call, project.root, new LogLines(terminal, { requests: false }).print),
    readOnly,
    // credentials that were passed decide about access, as they would on a running server
    operator: options.key === undefined && options.token === undefined,
    onHint: (text) => terminal.note(terminal.notePaint.dim(text)),
  })
  lifetime.defer(() => server.close(lifetime.stalled ? 0 : undefined))
  lifetime.waitsFor = path.basename(project.configFile)
  await server.start()
  lifetime.waitsFor = PROJECT_CODE
  return server.fetch
}
