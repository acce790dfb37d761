/** A case file to copy. */
export const EXAMPLE_CASE = `{
  "target": { "workflow": "order" },
  "input": { "orderId": "A-1", "amount": 250 },
  "expected": { "id": "r-1", "charged": 250 },
  "rules": { "/id": { "regex": "^r-\\\\d+$" } }
}`
