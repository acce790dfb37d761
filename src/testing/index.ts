export {
  createTestRunner,
  type RunOptions,
  type TestExecution,
  type TestRunner,
  type TestRunnerOptions,
} from './run-workflow.ts'
export {
  scriptedModel,
  type ScriptedAnswer,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedTurn,
  type ScriptedUsage,
} from './scripted-model.ts'
