import { html } from 'hono/html'
import { formatEuros } from '../services/money.ts'
import type { ApprovalRequest } from '../workflows/invoice-data.ts'

export interface PendingInvoice extends ApprovalRequest {
  readonly executionId: string
}

/** The page of all pending invoices. `html` escapes every value. */
export function approvalsPage(invoices: readonly PendingInvoice[], message: string | undefined) {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Invoices waiting for approval</title>
        <style>
          body {
            max-width: 45rem;
            margin: 2rem auto;
            padding: 0 1rem;
            font: 16px/1.5 system-ui;
          }
          form {
            display: flex;
            flex-wrap: wrap;
            gap: 0.5rem;
          }
        </style>
      </head>
      <body>
        <h1>Invoices waiting for approval</h1>
        ${message === undefined ? '' : html`<p role="status">${message}</p>`}
        ${invoices.length === 0 ? html`<p>No invoices are waiting.</p>` : invoices.map(invoiceSection)}
      </body>
    </html>`
}

function invoiceSection({ executionId, invoiceId, supplier, totalCents }: PendingInvoice) {
  return html`<section>
    <h2>${supplier}: ${formatEuros(totalCents)}</h2>
    <p>Invoice ${invoiceId}</p>
    <form method="post" action="approvals/${executionId}">
      <input name="approver" placeholder="Your name" required />
      <input name="comment" placeholder="Comment" />
      <button name="decision" value="approve">Approve</button>
      <button name="decision" value="reject">Reject</button>
    </form>
  </section>`
}
