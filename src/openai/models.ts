import type { Model } from '../contract/endpoints/openai.ts'
import { isId } from '../lib/ids.ts'
import { AppError } from '../lib/errors.ts'
import type { OpenaiFacts } from './error.ts'
import type { ModelTarget, OpenaiExchange } from './exchange.ts'

const WORKFLOW = 'workflow/'

export function targetOf(model: string): ModelTarget {
  return model.startsWith(WORKFLOW)
    ? { kind: 'workflow', id: model.slice(WORKFLOW.length) }
    : { kind: 'agent', id: model }
}

export function modelOf({ kind, id }: ModelTarget): string {
  return kind === 'workflow' ? WORKFLOW + id : id
}

/**
 * What the caller may do with a model. One that the caller can't use does not exist.
 *
 * @throws AppError `not_found`
 */
export async function requireModel(
  model: string,
  { registry, reach }: Pick<OpenaiExchange, 'registry' | 'reach'>,
) {
  const target = targetOf(model)
  const { kind, id } = target
  const unknown = new AppError(
    'not_found',
    `The model "${model}" does not exist or you do not have access to it`,
    {
      beside: { param: 'model', code: 'model_not_found' } satisfies OpenaiFacts,
    },
  )
  const isServed =
    isId(id) &&
    (kind === 'agent' ? registry.agents.some((one) => one.id === id) : registry.servesWorkflow(id))
  if (!isServed) throw unknown
  try {
    const access = await reach(target)
    await access.to('execute', kind, id)
    return { target, access }
  } catch (error) {
    if (error instanceof AppError && /^(?:unauthorized|forbidden|not_found)$/.test(error.code)) throw unknown
    throw error
  }
}

/** @param loadedAt when the configuration was loaded, ISO 8601 */
export function describeModel(target: ModelTarget, loadedAt: string): Model {
  const created = Math.floor(Date.parse(loadedAt) / 1000)
  return { id: modelOf(target), object: 'model', created, owned_by: 'agentserver' }
}

/** The models that the caller can use. */
export async function usableModels(
  exchange: Pick<OpenaiExchange, 'registry' | 'reach'>,
): Promise<ModelTarget[]> {
  const { registry } = exchange
  const workflows = registry.list().map(({ definition }) => definition)
  const all: ModelTarget[] = [
    ...registry.agents.map(({ id }) => ({ kind: 'agent' as const, id })),
    ...workflows.map(({ id }) => ({ kind: 'workflow' as const, id })),
  ]
  const usable = await Promise.all(
    all.map((target) =>
      requireModel(modelOf(target), exchange).then(
        () => true,
        (error: unknown) => {
          if (error instanceof AppError && error.code === 'not_found') return false
          throw error
        },
      ),
    ),
  )
  return all.filter((_, index) => usable[index])
}
