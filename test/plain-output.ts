// The runner colours its own output in CI, and would hand that wish on to the commands under test.
delete process.env['FORCE_COLOR']
