import type { Agent } from '../../agent/agent.ts'
import type { AgentModels } from '../../agent/model-object.ts'
import { modelList } from '../../agent/resolve-agent.ts'
import { loadModel } from '../../agent/models/load-model.ts'
import { loadPackage } from '../../agent/models/load-package.ts'
import { chooseModels } from '../../agent/models/model-choice.ts'
import type { ModelSettings } from '../../agent/models/model-choice.ts'
import type { LoadOptions } from '../../agent/models/load-provider-model.ts'

/** Loads the packages with which agents call their models. What is missing is reported by the call that needs it. */
export async function preloadPackages(
  agents: readonly Agent[],
  options: ModelSettings & LoadOptions,
): Promise<void> {
  if (agents.length === 0) return
  const preloadModels = async ({ model, perRequest }: Agent) => {
    if (perRequest.includes('model')) return
    const models = modelList(model as AgentModels | undefined)
    await Promise.all(
      chooseModels(models, options).map((choice, index) => loadModel(choice, models[index], options)),
    )
  }
  await Promise.allSettled([loadPackage('ai@6', options.projectDir), ...agents.map(preloadModels)])
}
