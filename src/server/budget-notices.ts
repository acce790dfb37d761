import type { Agent } from '../agent/agent.ts'
import { modelAtLimit } from '../agent/budgets/budget.ts'
import type { Budget } from '../agent/budgets/budget.ts'
import type { AgentModel } from '../agent/model-object.ts'
import { chooseModels } from '../agent/models/model-choice.ts'
import type { ModelSettings } from '../agent/models/model-choice.ts'
import { findPrice } from '../agent/prices/find-price.ts'
import { modelList } from '../agent/resolve-agent.ts'
import { withSubAgents } from '../agent/tools/registered-tools.ts'
import type { ServerConfig } from '../config/config.ts'
import { AppError } from '../lib/errors.ts'
import { agentsOfSteps, usedAgents } from '../workflow/used-agents.ts'
import { withChildren } from '../workflow/with-children.ts'

interface Limited {
  /** Where the budgets are declared. */
  readonly name: string
  readonly budgets: readonly Budget[] | undefined
  /** The agents whose calls they count. */
  readonly agents: () => readonly Agent[]
}

/** Warnings for models that budgets in US dollars do not count. */
export function unpricedNotices(config: ServerConfig, settings: ModelSettings): string[] {
  const limited: Limited[] = [
    { name: 'the configuration', budgets: config.budgets, agents: () => usedAgents(config) },
    ...withChildren(config.workflows).map((workflow) => ({
      name: `workflow "${workflow.id}"`,
      budgets: workflow.budgets,
      agents: () => withSubAgents(agentsOfSteps([workflow])),
    })),
    ...usedAgents(config).map((agent) => ({
      name: `agent "${agent.id}"`,
      budgets: agent.budgets,
      agents: () => withSubAgents([agent]),
    })),
  ]
  return limited.flatMap(({ name, budgets = [], agents }) => {
    if (!budgets.some(({ usd }) => usd !== undefined)) return []
    const others = budgets.flatMap((budget) => modelAtLimit(budget) ?? [])
    const models = [
      ...agents().flatMap((agent) => modelsOf(agent, settings)),
      ...(others.length === 0 ? [] : named(others, settings)),
    ]
    const unpriced = models.filter(({ model, ...priced }) => !isPriced(priced, model, config))
    const names = [...new Set(unpriced.map(({ provider, modelId }) => `${provider}/${modelId}`))]
    return names.map(
      (model) =>
        `The budgets of ${name} in "usd" do not count ${model}, which has no price: add it to "prices" in the configuration, or limit "tokens"`,
    )
  })
}

interface NamedModel {
  readonly provider: string
  readonly modelId: string
  readonly model: AgentModel | undefined
}

/** The models of an agent, as far as they are known before a request. */
function modelsOf({ model }: Agent, settings: ModelSettings): NamedModel[] {
  return typeof model === 'function' ? [] : named(modelList(model), settings)
}

function named(models: readonly AgentModel[], settings: ModelSettings): NamedModel[] {
  try {
    return chooseModels(models, settings).map(({ provider, modelId }, index) => ({
      provider,
      modelId,
      model: models[index],
    }))
  } catch (error) {
    // calls fail with the reason
    if (error instanceof AppError) return []
    throw error
  }
}

function isPriced(
  { provider, modelId }: Omit<NamedModel, 'model'>,
  model: AgentModel | undefined,
  { prices }: ServerConfig,
): boolean {
  // a name has no address: it counts as called at its provider
  const object = typeof model === 'object' ? model : undefined
  return findPrice({ provider, modelId, model: object }, prices) !== undefined
}
