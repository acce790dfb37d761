import { z } from 'zod'
import { SuspensionFields } from './event.ts'
import { JsonSchemaDocument } from './fields.ts'
import { StepType } from './status.ts'

/** A step that waits, which a resume can name. */
export const StepWait = z
  .object({
    stepId: z.string(),
    path: z.string().describe('Path of the step'),
    type: StepType,
    reason: z.string(),
    resumeSchema: JsonSchemaDocument.optional().describe('JSON Schema of the resume data, if it takes data'),
    ...SuspensionFields,
  })
  .omit({ misfits: true })
  .meta({ id: 'StepWait' })
export type StepWait = z.infer<typeof StepWait>
