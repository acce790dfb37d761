import { useState } from 'react'
import type { ExecutionDetail } from '../../../contract/endpoints/execution.ts'
import { LazyChunk, useLazyCode } from '../../router/lazy-chunk.ts'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { Pending } from '../../ui/state/states.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'

const CODE = new LazyChunk(() => import('./execution-view.tsx'))

/** An execution from an exported file, read-only. */
export function ExecutionFileScreen() {
  const [record, setRecord] = useState<ExecutionDetail>()
  const { code, error } = useLazyCode(CODE)
  return (
    <>
      <PageHeader
        title={record?.workflowName ?? 'Open exported run'}
        {...(record && {
          aside: (
            <>
              <StatusBadge status={record.status} />
              <span className="text-sm text-dim">from a file</span>
            </>
          ),
        })}
      />
      {code && record && <code.ExecutionView record={record} live={undefined} />}
      {code && !record && <code.FileChooser choose={setRecord} />}
      {!code && <Pending error={error} retry={() => location.reload()} />}
    </>
  )
}
