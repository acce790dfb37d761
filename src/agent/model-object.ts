import type { LanguageModel } from 'ai'

/** A language model object of the AI SDK. */
export type ModelObject = Exclude<LanguageModel, string>
