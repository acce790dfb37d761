/** The step of an execution that calls models. */
export interface StepPlace {
  readonly executionId: string
  readonly workflowId: string
  /** The pattern of the step's path. */
  readonly step: string
}
