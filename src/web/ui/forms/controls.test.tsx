import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { NameField, TextField } from './controls.tsx'

const html = (element: React.ReactElement) => renderToStaticMarkup(element)

test('a text field ties label, note and input together and hands on what an input takes', () => {
  const made = html(
    <TextField
      id="smtp-port"
      name="port"
      label="Port"
      hint="587 as a rule"
      errors={undefined}
      inputMode="numeric"
      defaultValue="25"
    />,
  )
  expect(made).toContain('<label for="smtp-port"')
  expect(made).toMatch(/<input(?=[^>]*id="smtp-port")(?=[^>]*name="port")(?=[^>]*inputMode="numeric")[^>]*value="25"/)
  expect(made).toMatch(/<input[^>]*aria-invalid="false"[^>]*aria-describedby="smtp-port-note"/)
  expect(made).toMatch(/<div id="smtp-port-note"[^>]*>587 as a rule</)
  expect(made).not.toContain('role="alert"')
})

test('its errors stand in place of the hint, and the input says that it is wrong', () => {
  const made = html(<TextField id="a" name="a" label="A" hint="hint" errors={['Too long.', 'No dots.']} />)
  expect(made).toContain('aria-invalid="true"')
  expect(made).toMatch(/<p role="alert"[^>]*>Too long\. No dots\.<\/p>/)
  expect(made).not.toContain('hint')
})

test.each([
  [{}, 'name'],
  [{ name: 'label' }, 'label'],
])('a name is asked for with at most 64 characters: %j', (more, name) => {
  const made = html(<NameField id="x" label="Name" errors={undefined} {...more} />)
  expect(made).toMatch(/<input[^>]*required=""[^>]*/)
  expect(made).toContain(`name="${name}"`)
  expect(made).toContain('maxLength="64"')
})
