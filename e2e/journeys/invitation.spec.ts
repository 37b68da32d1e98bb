import { expect, test } from '../harness/test.ts'
import { signIn } from './sign-in.ts'
import { WatchedPage } from './watched-page.ts'

test.use({ locale: 'en-GB' })

test('who is invited and has no account makes one by the link, and is in the organization', async ({
  page,
  browser,
  stack,
}, { project }) => {
  const email = `a-newcomer-with-quite-a-long-name-${project.name}@department.example.com`
  const watched = await WatchedPage.watch(page, project.name)
  await signIn(page, stack)
  await page.goto(`${stack.url}/demo/demo/members`)
  const owner = page.getByRole('row').filter({ hasText: stack.credentials.email })
  await expect(owner).toContainText('The last owner stays')
  await expect(owner.getByRole('button', { name: /Remove/ })).toHaveCount(0)
  await expect(owner.getByRole('combobox')).toHaveCount(0)

  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByRole('dialog').getByLabel('E-mail address').fill(email)
  await page.getByRole('dialog').getByRole('button', { name: 'Make invitation' }).click()
  const link = (await page.getByRole('region', { name: 'link of the invitation' }).textContent()) ?? ''
  await page.getByRole('button', { name: 'I have stored it' }).click()

  const context = await browser.newContext({ ...test.info().project.use, locale: 'en-GB' })
  try {
    const guest = await context.newPage()
    const seen = await WatchedPage.watch(guest, project.name)
    await guest.goto(link.trim(), { waitUntil: 'networkidle' })
    await expect(guest.getByLabel('E-mail address')).toHaveValue(email)
    await seen.look('52-invited')
    await guest.getByLabel('Your name').fill('Nadia Newcomer')
    await guest.getByLabel('New password').fill('short')
    await guest.getByRole('button', { name: 'Make account and join' }).click()
    await expect(guest.getByLabel('New password')).toHaveAttribute('aria-invalid', 'true')
    await seen.look('53-invited-refused', 'grown')
    await guest.getByLabel('New password').fill('correct horse battery')
    await guest.getByRole('button', { name: 'Make account and join' }).click()
    await expect(guest).toHaveURL(/\/demo\/demo\/jobs/, { timeout: 30_000 })
    await guest.goto(link.trim())
    await expect(guest.getByText('This invitation was used already.')).toBeVisible()
    expect(seen.errors()).toEqual([])
  } finally {
    await context.close()
  }

  await page.reload()
  const row = page.getByRole('row').filter({ hasText: email })
  await expect(row).toContainText('Nadia Newcomer')
  // Read whole, however narrow the screen.
  const cut = await row.getByText(email).evaluate(text => text.scrollWidth > text.clientWidth)
  expect(cut).toBe(false)
  await watched.look('54-members')
  await row.getByRole('button', { name: 'Remove Nadia Newcomer' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(row).toHaveCount(0)
  expect(watched.errors()).toEqual([])
})
