import type { Logger } from 'pino'
import { withSubAgents } from '../agent/tools/registered-tools.ts'
import { usesStep } from '../agent/tools/tool.ts'
import type { Tool } from '../agent/tools/tool.ts'
import type { ModelSettings } from '../agent/models/model-choice.ts'
import type { ServerConfig } from '../config/config.ts'
import { unpricedNotices } from './budget-notices.ts'

/** Logs what is allowed in a configuration, but most likely a mistake: each once. */
export class LoadNotices {
  readonly #logger: Pick<Logger, 'warn'>
  readonly #settings: ModelSettings
  readonly #logged = new Set<string>()

  constructor(logger: Pick<Logger, 'warn'>, settings: ModelSettings) {
    this.#logger = logger
    this.#settings = settings
  }

  update(config: ServerConfig): void {
    for (const notice of [...unpricedNotices(config, this.#settings), ...unrecordedNotices(config)]) {
      if (this.#logged.has(notice)) continue
      this.#logged.add(notice)
      this.#logger.warn(notice)
    }
  }
}

/** Warnings for tools that make recorded calls in agents whose answers are not recorded. */
function unrecordedNotices({ agents }: ServerConfig): string[] {
  return agents
    .filter(({ resumable }) => resumable !== true)
    .flatMap((agent) =>
      withSubAgents([agent]).flatMap(({ tools }) =>
        tools
          .filter((tool) => usesStep(tool) && namesStep(tool))
          .map(
            ({ name }) =>
              `Agent "${agent.id}" has the tool "${name}", which uses step: that fails in answers that are not recorded. Set resumable: true of the agent, or in the options of requests`,
          ),
      ),
    )
}

/** In doubt a function uses the member, also if it does not name it. */
function namesStep({ execute }: Pick<Tool, 'execute'>): boolean {
  return /\bstep\b/.test(execute?.toString() ?? '')
}
