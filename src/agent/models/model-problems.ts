import { parseModelName } from './model-choice.ts'

/** The problems of the option `model`: a model or a list of models. */
export function modelProblems(model: unknown): string[] {
  if (!Array.isArray(model)) return oneModelProblems(model)
  if (model.length === 0) return ['model must not be an empty list']
  return model.flatMap((one: unknown) => oneModelProblems(one))
}

function oneModelProblems(model: unknown): string[] {
  if (typeof model === 'string') {
    const parsed = parseModelName(model)
    return 'problem' in parsed ? [`model ${parsed.problem}`] : []
  }
  const isModel = typeof model === 'object' && model !== null && 'doGenerate' in model
  return isModel ? [] : ["model must be a model of the AI SDK or a 'provider/model' string"]
}
