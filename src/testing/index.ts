export { crashEveryStep, type CrashEveryStepOptions } from './crash-every-step.ts'
export { evalCases, type EvalCasesOptions } from './evals/eval-cases.ts'
export { type TestFunction } from './evals/test-functions.ts'
export { type TestResumeOptions, type TestExecution } from './test-execution.ts'
export {
  createTestRunner,
  type ConfigUnderTest,
  type RunOptions,
  type TestRunner,
  type TestRunnerOptions,
} from './test-runner.ts'
export { type ProofCrash, type ProofFinding, type ProofReport } from '../server/proof/findings.ts'
export { type ProofEvent, type ProofResume } from '../server/proof/given.ts'
export { type TestModelOptions } from './test-model-options.ts'
export {
  scriptedModel,
  type ScriptedAnswer,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedTurn,
  type ScriptedUsage,
} from './scripted-model.ts'
