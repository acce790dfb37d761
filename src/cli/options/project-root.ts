import type { CommonOptions } from '../command.ts'
import { findTarget } from '../connect/find-server.ts'

/**
 * The directory of the project that the command works on.
 *
 * @throws AppError `invalid_config` if no project is found.
 */
export async function projectRoot({ config }: CommonOptions): Promise<string> {
  const target = await findTarget(process.cwd(), config)
  return target.kind === 'server' ? target.info.root : target.project.root
}
