import type { CommonOptions } from '../command.ts'
import { findTarget } from '../connect/find-server.ts'

/**
 * The directory of the project that a command is called for.
 *
 * @throws AppError `invalid_config` when there is none.
 */
export async function projectRoot({ config }: CommonOptions): Promise<string> {
  const target = await findTarget(process.cwd(), config)
  return target.kind === 'server' ? target.info.root : target.project.root
}
