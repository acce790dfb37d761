import type { Project } from '../../config/project.ts'
import { CONSOLE_PATH } from '../../contract/endpoints/pages.ts'
import { AppError } from '../../lib/errors.ts'
import { isSamePath } from '../../lib/files/is-inside.ts'
import { runningServer } from '../connect/find-server.ts'

/**
 * Waits until a project is in service.
 *
 * @throws AppError `database_locked` with the URL of the server that serves the project already, if that is why it
 *   failed.
 */
export async function unlessAlreadyServed<T>(serving: Promise<T>, { root, configFile }: Project): Promise<T> {
  try {
    return await serving
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'database_locked') throw cause
    const server = await runningServer(root)
    if (server === undefined) throw cause
    const { url, pid } = server
    const subject = isSamePath(server.configFile, configFile)
      ? 'This project'
      : `The project ${server.configFile} with this database`
    throw new AppError('database_locked', `${subject} is already served at ${url} (process ${pid})`, {
      cause,
      hint: `Open ${new URL(CONSOLE_PATH, url).href}, or stop that process to start another one.`,
    })
  }
}
